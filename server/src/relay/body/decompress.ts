import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';

/** Larger than the default, since each chunk costs a turn of a worker thread. */
const options = { chunkSize: 64 * 1024 };

const decompressors: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', () => createGunzip(options)],
  ['x-gzip', () => createGunzip(options)],
  ['deflate', () => createInflate(options)],
  ['br', () => createBrotliDecompress(options)],
  ['zstd', () => createZstdDecompress(options)],
]);

/** Value of `Accept-Encoding`. */
export const acceptedEncodings = 'gzip, deflate, br, zstd';

/** Decompressor of an encoding; undefined: unsupported. Several encodings at once are refused as a possible bomb. */
export const decompressorFor = (encoding: string): (() => Transform) | undefined =>
  decompressors.get(encoding.trim().toLowerCase());
