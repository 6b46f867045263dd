import { Buffer } from 'node:buffer';
import { randomFillSync } from 'node:crypto';
import { performance } from 'node:perf_hooks';

const alphabet = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789');
const AT_ONCE = 4096;
const bytes = Buffer.alloc(AT_ONCE);
let pool = '';
let used = AT_ONCE;

let second = 0;
let stamp = '';

/**
 * `YYYYMMDDhhmmss` (UTC), nanoseconds, 8 random characters: the format of compatible servers. Ids grow with time, so
 * indexes are appended to.
 */
export function newRequestId(): string {
  const nowMs = Date.now();
  const nowS = Math.floor(nowMs / 1000);
  if (nowS !== second) {
    second = nowS;
    stamp = new Date(nowS * 1000).toISOString().replace(/\D/g, '').slice(0, 14);
  }
  // Date.now() has milliseconds; performance.now() adds the digits after them.
  const micros = Math.floor((performance.now() % 1) * 1_000_000);
  const nanos = String((nowMs % 1000) * 1_000_000 + micros).padStart(9, '0');
  if (used + 8 > AT_ONCE) {
    randomFillSync(bytes);
    for (let i = 0; i < AT_ONCE; i++) bytes[i] = alphabet[(bytes[i] ?? 0) % alphabet.length] ?? 0;
    pool = bytes.toString('latin1');
    used = 0;
  }
  used += 8;
  return stamp + nanos + pool.slice(used - 8, used);
}
