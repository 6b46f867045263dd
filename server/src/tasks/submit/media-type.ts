import type { Buffer } from 'node:buffer';
import { typeOfPicture } from '#chat/media-type.ts';

const starts: readonly [type: string, at: number, bytes: string][] = [
  ['video/quicktime', 4, 'ftypqt  '],
  ['video/mp4', 4, 'ftyp'],
  ['video/webm', 0, '\x1a\x45\xdf\xa3'],
  ['audio/wav', 8, 'WAVEfmt '],
  ['audio/mpeg', 0, 'ID3'],
  ['audio/mpeg', 0, '\xff\xfb'],
];

/** Media type of a picture, video or sound by its first bytes; undefined: none of them. */
export const typeOfMedia = (bytes: Buffer): string | undefined =>
  typeOfPicture(bytes) ?? starts.find(([, at, text]) => bytes.toString('latin1', at, at + text.length) === text)?.[0];
