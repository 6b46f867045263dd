import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';

/** Larger pieces than usual, since each one takes a turn of a thread. */
const options = { chunkSize: 64 * 1024 };

const ways: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', () => createGunzip(options)],
  ['x-gzip', () => createGunzip(options)],
  ['deflate', () => createInflate(options)],
  ['br', () => createBrotliDecompress(options)],
  ['zstd', () => createZstdDecompress(options)],
]);

/** In the words of `Accept-Encoding`. */
export const acceptedEncodings = 'gzip, deflate, br, zstd';

/** What unpacks a body that is packed so; undefined: nothing. More than one packing is a bomb, or a mistake. */
export const decompressorFor = (encoding: string): (() => Transform) | undefined =>
  ways.get(encoding.trim().toLowerCase());
