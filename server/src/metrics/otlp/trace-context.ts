import { randomBytes, randomFillSync } from 'node:crypto';
import type { OtlpConfig } from '#process/otlp-config.ts';

/** Where the spans of a call belong. Ids are hex. */
export interface TraceContext {
  traceId: string;
  /** The caller's span; undefined: the trace begins here. */
  parentId: string | undefined;
  isSampled: boolean;
}

const pattern = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-|$)/;

/** Continues the trace of a `traceparent` header, or begins one. An invalid header is ignored. */
export function traceContextOf(
  header: string | string[] | undefined,
  { ratio, byParent }: OtlpConfig['sampled'],
): TraceContext {
  const [, traceId = newId(16), parentId, flags = '01'] =
    typeof header === 'string' && header.length <= 256 ? (pattern.exec(header) ?? []) : [];
  const isSampled =
    byParent && parentId !== undefined
      ? (Number.parseInt(flags, 16) & 1) === 1
      : ratio >= 1 || Number.parseInt(traceId.slice(-13), 16) < ratio * 16 ** 13;
  return { traceId, parentId, isSampled };
}

const pool = Buffer.alloc(4096);
let used = pool.length;

/** A random id of `bytes` bytes, in hex. */
export function newId(bytes: 8 | 16): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const id = pool.toString('hex', used, (used += bytes));
  return /[1-9a-f]/.test(id) ? id : randomBytes(bytes).toString('hex');
}
