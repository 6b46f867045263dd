import { randomFillSync } from 'node:crypto';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const pool = Buffer.alloc(4096);
let used = pool.length;

let second = 0;
let stamp = '';

/**
 * `YYYYMMDDhhmmss` (UTC), nanoseconds, 8 random letters or digits: the family's form. Ids grow with time, so that an
 * index over them is written at its end.
 */
export function newRequestId(): string {
  const nowMs = Date.now();
  const nowS = Math.floor(nowMs / 1000);
  if (nowS !== second) {
    second = nowS;
    stamp = new Date(nowS * 1000).toISOString().replace(/\D/g, '').slice(0, 14);
  }
  // The clock has milliseconds; the monotonic one lends the digits after them.
  const micros = Math.floor((performance.now() % 1) * 1_000_000);
  const nanos = String((nowMs % 1000) * 1_000_000 + micros).padStart(9, '0');
  if (used + 8 > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  let random = '';
  for (let i = 0; i < 8; i++) random += alphabet[pool[used++]! % 62];
  return stamp + nanos + random;
}
