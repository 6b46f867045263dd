import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { LogContent } from '@relay-hub/contract';
import type { Logger } from 'pino';
import { maskedText } from '#guard/guard.ts';
import { isCard, patternsOf } from '#guard/guard-patterns.ts';
import { objectOr, parseJson, textOr } from '#json.ts';
import { masked, type Secrets } from '#secrets.ts';

/** Bytes of requests and replies that wait to be written; more are dropped. */
const MOST_WAITING = 32 * 1024 * 1024;

interface Kept {
  requestId: string;
  userId: number;
  request: Buffer;
  /** Empty: there is none, or it was too long to be copied. */
  reply: Buffer;
  isTooLong: boolean;
  contentType: string;
}

/**
 * Requests and replies of calls whose owner or site wants them: masked and encrypted, a file per call in a folder per
 * day. A call never waits for it, and never fails because of it.
 */
export class ContentLog {
  readonly #folder: string;
  readonly #secrets: Secrets;
  readonly #log: Pick<Logger, 'warn'>;
  #waiting = 0;
  #written: Promise<void> = Promise.resolve();
  dropped = 0;

  constructor({ dataDir, secrets, log }: { dataDir: string; secrets: Secrets; log: Pick<Logger, 'warn'> }) {
    this.#folder = path.join(dataDir, 'content');
    this.#secrets = secrets;
    this.#log = log;
  }

  /** Keeps at most `most` bytes of each, without what `patterns` find, and returns before they are written. */
  keep(
    { requestId, userId, request, reply, contentType, isTooLong }: Kept,
    { most, patterns }: { most: number; patterns: readonly string[] },
  ): void {
    // Copies: the buffers may be parts of larger ones, whose memory is counted elsewhere.
    const parts = [request, reply].map((part) => Buffer.from(part.subarray(0, most)));
    const bytes = parts.reduce((sum, part) => sum + part.length, 0);
    if (this.#waiting + bytes > MOST_WAITING) {
      this.dropped++;
      return;
    }
    this.#waiting += bytes;
    const isCut = isTooLong || request.length > most || reply.length > most;
    this.#written = this.#writeAfter(this.#written, parts, { requestId, userId, contentType, isCut, patterns });
  }

  /** Never rejects. */
  async #writeAfter(
    before: Promise<void>,
    parts: Buffer[],
    {
      requestId,
      userId,
      contentType,
      isCut,
      patterns,
    }: Pick<Kept, 'requestId' | 'userId' | 'contentType'> & { isCut: boolean; patterns: readonly string[] },
  ): Promise<void> {
    await before;
    // A turn of the event loop for others between two calls.
    await new Promise((resolve) => setImmediate(resolve));
    try {
      const own = patternsOf({ kinds: [], patterns });
      let [request = '', reply = ''] = parts.map((part) => maskedContent(readable(part)));
      if (own.length > 0) [request, reply] = [await maskedText(own, request), await maskedText(own, reply)];
      const content: LogContent = { request, reply, content_type: contentType, truncated: isCut };
      const folder = path.join(this.#folder, dayOf(requestId));
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const sealed = this.#secrets.encrypt(JSON.stringify({ ...content, id: requestId }));
      await writeFile(path.join(folder, nameOf(userId, requestId)), sealed, { mode: 0o600 });
    } catch (error) {
      this.dropped++;
      this.#log.warn({ err: error, request: requestId }, 'the content of a call was not kept');
    } finally {
      for (const part of parts) this.#waiting -= part.length;
    }
  }

  /** Undefined: it was not kept, is removed, is on another machine, or was encrypted with an earlier data key. */
  async find(requestId: string, userId: number): Promise<LogContent | undefined> {
    if (!/^\d{8}\w+$/.test(requestId)) return undefined;
    await this.settled();
    try {
      const sealed = await readFile(path.join(this.#folder, dayOf(requestId), nameOf(userId, requestId)), 'utf8');
      const json = objectOr(parseJson(this.#secrets.decrypt(sealed)));
      // A file that was renamed belongs to another call.
      if (json['id'] !== requestId) return undefined;
      return {
        request: textOr(json['request'], ''),
        reply: textOr(json['reply'], ''),
        content_type: textOr(json['content_type'], ''),
        truncated: json['truncated'] === true,
      };
    } catch {
      return undefined; // no such file, or not readable with this key
    }
  }

  /** Removes files older than this number of days. `now`: Unix seconds. */
  async prune(days: number, now: number): Promise<void> {
    const oldest = new Date((now - days * 86_400) * 1000).toISOString().slice(0, 10).replaceAll('-', '');
    for (const day of await this.#days())
      if (day < oldest) await rm(path.join(this.#folder, day), { recursive: true, force: true });
  }

  /** Removes everything of a closed account. Never rejects; what could not be removed ages out. */
  async forget(userId: number): Promise<void> {
    await this.settled();
    try {
      for (const day of await this.#days()) {
        const folder = path.join(this.#folder, day);
        for (const name of await readdir(folder))
          if (name.startsWith(`${userId}-`)) await rm(path.join(folder, name), { force: true });
      }
    } catch (error) {
      this.#log.warn({ err: error, user: userId }, 'kept contents of a closed account remain until their time');
    }
  }

  /** Resolves when all contents so far are written. Never rejects. */
  settled(): Promise<void> {
    return this.#written;
  }

  async #days(): Promise<string[]> {
    try {
      return (await readdir(this.#folder)).filter((name) => /^\d{8}$/.test(name));
    } catch {
      return []; // nothing was ever kept
    }
  }
}

/** Request ids begin with their day. */
const dayOf = (requestId: string): string => requestId.slice(0, 8);
const nameOf = (userId: number, requestId: string): string => `${userId}-${requestId}`;

/** A cut may leave a part of a character at the end. */
const readable = (bytes: Buffer): string => bytes.toString('utf8').replace(/\uFFFD$/, '');

const cards = /(?<![\d.-])\d(?:[ -]?\d){12,18}(?![\d.-])/g;
const addresses = /(?<![\w.+-])[\w.+-]{1,64}@(?:[a-z\d-]{1,63}\.){1,8}[a-z]{2,24}\b/gi;

/** Masks keys, numbers of payment cards and e-mail addresses. */
export const maskedContent = (text: string): string =>
  masked(text)
    .replaceAll(cards, (found) => (isCard(found.replaceAll(/\D/g, '')) ? '••••' : found))
    .replaceAll(addresses, '••••');
