import { randomInt } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';

/** Who fetched the picture of a check. */
export interface Fetched {
  ip: string;
  userAgent: string;
}

const LIVES_MS = 10 * 60_000;
const MOST_FETCHES = 20;
const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Pictures that models are asked to look at, each under an address of its own for ten minutes. */
export class CheckImages {
  readonly #kept = new Map<string, { fetched: Fetched[]; endsMs: number }>();

  /** A new one; its id. */
  add(nowMs: number): string {
    for (const [id, { endsMs }] of this.#kept) if (endsMs <= nowMs) this.#kept.delete(id);
    const id = Array.from({ length: 10 }, () => letters[randomInt(letters.length)]).join('');
    this.#kept.set(id, { fetched: [], endsMs: nowMs + LIVES_MS });
    return id;
  }

  /** Notes that somebody fetches it; false: there is none. */
  fetch(id: string, by: Fetched, nowMs: number): boolean {
    const kept = this.#kept.get(id);
    if (!kept || kept.endsMs <= nowMs) return false;
    if (kept.fetched.length < MOST_FETCHES) kept.fetched.push(by);
    return true;
  }

  fetchedBy(id: string): readonly Fetched[] {
    return this.#kept.get(id)?.fetched ?? [];
  }
}

/** Whom a client that fetches pictures belongs to, as far as its name tells. */
export function fetcherOf(userAgent: string): 'OpenAI' | 'Azure' | 'Go relay' | 'unknown' {
  if (/openai/i.test(userAgent)) return 'OpenAI';
  if (/^IPS\/|azure|microsoft/i.test(userAgent)) return 'Azure';
  return /^Go-http-client/i.test(userAgent) ? 'Go relay' : 'unknown';
}

const SIDE = 64;
const RED = Buffer.of(0xe0, 0x20, 0x20);

/** A red square. */
export const checkPicture: Buffer = redSquare();

function redSquare(): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(SIDE, 0);
  head.writeUInt32BE(SIDE, 4);
  // Eight bits of each of three colours; the rest as it has to be.
  head.set([8, 2, 0, 0, 0], 8);
  // Each line begins with how it is filtered: not at all.
  const line = Buffer.concat([Buffer.of(0), ...Array.from({ length: SIDE }, () => RED)]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: SIDE }, () => line)));
  const signature = Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
