import type { ByteSource, CacheMark, FilePart, ImagePart } from './chat.ts';
import { lookUp } from './fields.ts';
import { typeOfBase64 } from './media-type.ts';

const types: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  heic: 'image/heic',
  heif: 'image/heif',
  svg: 'image/svg+xml',
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  html: 'text/html',
  csv: 'text/csv',
  json: 'application/json',
  mp3: 'audio/mp3',
  wav: 'audio/wav',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
};

/** The media type by file extension; undefined if unknown. */
export function mimeOf(name: string): string | undefined {
  const path = name.split(/[?#]/, 1)[0] ?? '';
  return lookUp(types, path.slice(path.lastIndexOf('.') + 1).toLowerCase());
}

/** A data URL's bytes, or the address. */
export function sourceOf(url: string, fallbackMime = 'application/octet-stream'): ByteSource {
  if (!url.startsWith('data:')) return { url };
  const comma = url.indexOf(',');
  const head = url.slice(5, comma);
  const mime = head.split(';', 1)[0] || fallbackMime;
  const data = url.slice(comma + 1);
  return head.endsWith(';base64')
    ? { mime, base64: data }
    : { mime, base64: Buffer.from(percentDecoded(data)).toString('base64') };
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // not percent-encoded
  }
}

export const dataUrl = ({ mime, base64 }: { mime: string; base64: string }): string => `data:${mime};base64,${base64}`;

/** A source with the media type that its bytes have, whatever the caller declared. */
export const ofItsType = <T extends ByteSource>(source: T): T =>
  'base64' in source ? { ...source, mime: typeOfBase64(source.base64, source.mime) } : source;

/** A picture of a caller, or the document that some clients send in its place. */
export function pictureOf(
  source: ByteSource,
  more: { detail?: string | undefined; cache?: CacheMark | undefined } = {},
): ImagePart | FilePart {
  const known = ofItsType(source);
  if ('mime' in known && known.mime === 'application/pdf')
    return { type: 'file', source: known, mime: known.mime, cache: more.cache };
  return { type: 'image', source: known, ...more };
}
