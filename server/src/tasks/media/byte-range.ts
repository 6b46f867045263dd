/** Part of a file, both ends inclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

const one = /^bytes=(?:(\d{1,15})-(\d{1,15})?|-(\d{1,15}))$/;

/** A Range header that asks for one part, as it may be sent on; empty: none, several or malformed, all of which may be ignored. */
export const singleRange = (header: string | undefined): string => {
  const text = header?.replaceAll(' ', '') ?? '';
  const [whole, from, to] = one.exec(text) ?? [];
  if (whole === undefined || (from !== undefined && to !== undefined && Number(to) < Number(from))) return '';
  return text;
};

/** The part of a file of `size` bytes. `whole`: no part is asked for; `outside`: there is no such part. */
export function rangeWithin(range: string, size: number): ByteRange | 'whole' | 'outside' {
  const [found, from, to, last] = one.exec(range) ?? [];
  if (found === undefined) return 'whole';
  if (last !== undefined) {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'outside' : { start: size - length, end: size - 1 };
  }
  const start = Number(from);
  return start >= size ? 'outside' : { start, end: Math.min(to === undefined ? size : Number(to), size - 1) };
}
