import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Agent, request } from 'undici';
import type { OtlpTarget } from '#process/otlp-config.ts';
import { productVersion } from '#version.ts';
import { type PartialSuccess, partialSuccess, protobufOf } from './wire.ts';

const compress = promisify(gzip);

/** Longest reply that is read. */
const MOST_REPLY = 64 * 1024;
const MOST_RETRY_AFTER_MS = 60_000;
const retried = [429, 502, 503, 504];

/** An export that failed. */
export class SendError extends Error {
  /** Whether the same may be sent again. */
  readonly mayRetry: boolean;
  /** When the receiver wants it again, in milliseconds from now; undefined: it does not say. */
  readonly afterMs: number | undefined;

  constructor(message: string, { mayRetry, afterMs }: { mayRetry: boolean; afterMs?: number | undefined }) {
    super(message);
    this.mayRetry = mayRetry;
    this.afterMs = afterMs;
  }
}

/** Sends OTLP requests to one receiver. */
export class Sender {
  readonly #target: OtlpTarget;
  readonly #agent: Agent;

  constructor(target: OtlpTarget) {
    this.#target = target;
    this.#agent = new Agent({ connections: 1, connect: { timeout: target.timeoutMs } });
  }

  /** Sends it once, and resolves with what the receiver did not take. Rejects with `SendError`. */
  async send(message: object, stop: AbortSignal): Promise<PartialSuccess> {
    const { isJson, gzip: isCompressed, timeoutMs } = this.#target;
    const plain = isJson ? Buffer.from(JSON.stringify(message)) : protobufOf(message);
    const body = isCompressed ? await compress(plain) : plain;
    const { status, retryAfter, reply } = await this.#post(
      body,
      AbortSignal.any([AbortSignal.timeout(timeoutMs), stop]),
    );
    if (status >= 200 && status < 300) return partialSuccess(reply, isJson);
    throw new SendError(`the receiver answered ${status}`, {
      mayRetry: retried.includes(status),
      afterMs: waitFor(retryAfter),
    });
  }

  async #post(body: Buffer, signal: AbortSignal) {
    const { url, headers, isJson, gzip: isCompressed, timeoutMs } = this.#target;
    try {
      const response = await request(url, {
        method: 'POST',
        dispatcher: this.#agent,
        signal,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        headers: {
          'user-agent': `relay-hub/${productVersion}`,
          ...headers,
          'content-type': isJson ? 'application/json' : 'application/x-protobuf',
          ...(isCompressed && { 'content-encoding': 'gzip' }),
        },
        body,
      });
      const reply = await firstBytes(response.body);
      return { status: response.statusCode, retryAfter: response.headers['retry-after'], reply };
    } catch (error) {
      throw new SendError(`the receiver cannot be reached: ${reasonOf(error)}`, { mayRetry: true });
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

/** The start of a reply; the rest is read and forgotten, so that the connection can be used again. */
async function firstBytes(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of body) {
    if (length < MOST_REPLY) pieces.push(piece);
    length += piece.length;
  }
  return Buffer.concat(pieces);
}

/** The error of a connection has its cause in `code`, and may have no text. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = (error as NodeJS.ErrnoException).code;
  return error.message || (typeof code === 'string' ? code : error.name);
}

/** Milliseconds in a Retry-After header of seconds or a date. */
function waitFor(header: string | string[] | undefined): number | undefined {
  const text = typeof header === 'string' ? header.trim() : '';
  if (text === '') return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(MOST_RETRY_AFTER_MS, Math.max(0, ms));
}
