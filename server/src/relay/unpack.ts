import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, type InputType, zstdDecompress } from 'node:zlib';

/** At most so many bytes come out. Works off this thread; rejects with `ERR_BUFFER_TOO_LARGE` for more. */
export type Unpack = (packed: InputType, options: { maxOutputLength: number }) => Promise<Buffer>;

const ways: ReadonlyMap<string, Unpack> = new Map<string, Unpack>([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
  ['zstd', promisify(zstdDecompress)],
]);

/** In the words of `Accept-Encoding`. */
export const packings = 'gzip, deflate, br, zstd';

/** How what is packed so is unpacked; undefined: not at all. More than one packing is a bomb, or a mistake. */
export const unpackerFor = (encoding: string): Unpack | undefined => ways.get(encoding.trim().toLowerCase());
