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

/** Media type by the first bytes, not by name; undefined: no known picture. */
export const typeOfPicture = (bytes: Buffer): string | undefined =>
  starts.find(([, at, text]) => bytes.toString('latin1', at, at + text.length) === text)?.[0];
