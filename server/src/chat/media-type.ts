const starts: readonly [type: string, at: number, bytes: string][] = [
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF87a'],
  ['image/gif', 0, 'GIF89a'],
  ['image/webp', 8, 'WEBPVP8'],
  ['image/heic', 4, 'ftypheic'],
  ['image/heic', 4, 'ftypheix'],
  ['image/heif', 4, 'ftypmif1'],
  ['image/heif', 4, 'ftypmsf1'],
];

const others: readonly [type: string, at: number, bytes: string][] = [
  ['application/pdf', 0, '%PDF-'],
  ['audio/wav', 8, 'WAVE'],
  ['audio/mp3', 0, 'ID3'],
  ['audio/flac', 0, 'fLaC'],
  ['audio/ogg', 0, 'OggS'],
];

const typeIn = (table: typeof starts, bytes: Buffer): string | undefined =>
  table.find(([, at, text]) => bytes.toString('latin1', at, at + text.length) === text)?.[0];

/** Media type by the first bytes, not by name; undefined: no known picture. */
export const typeOfPicture = (bytes: Buffer): string | undefined => typeIn(starts, bytes);

/** Enough base64 for the bytes that are looked at. */
const HEAD = 32;

/** Media type of a picture, a sound or a PDF in base64: by its bytes, else as declared, in its usual spelling. */
export function typeOfBase64(base64: string, declared: string): string {
  const bytes = Buffer.from(base64.slice(0, HEAD), 'base64');
  const spelt = (declared.split(';', 1)[0] ?? '').trim().toLowerCase();
  return (
    typeIn(starts, bytes) ??
    typeIn(others, bytes) ??
    spelt.replace(/^image\/(x-)?jpg$/, 'image/jpeg').replace(/^audio\/x-/, 'audio/')
  );
}
