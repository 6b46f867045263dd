import type { TaskMediaKind } from '@relay-hub/contract';

/** Bytes at the start of a file that `mediaTypeOf` looks at. */
export const HEAD_BYTES = 512;

const starts = (head: Buffer, bytes: string, at = 0): boolean =>
  head.subarray(at, at + bytes.length).equals(Buffer.from(bytes, 'latin1'));

/** The type of an ISO media file by its brand, which says whether it is a picture, a sound or a video. */
function brandType(brand: string): string | undefined {
  if (brand === 'avif' || brand === 'avis') return 'image/avif';
  if (brand.startsWith('M4A')) return 'audio/mp4';
  if (brand.startsWith('qt')) return 'video/quicktime';
  return /^(?:hei|hev|mif|msf|crx)/.test(brand) ? undefined : 'video/mp4';
}

/**
 * The media type of a file by its first bytes; undefined for anything that is no picture, sound or video. The
 * declared type does not count: a page that calls itself a picture must not be passed on.
 */
export function mediaTypeOf(head: Buffer, kind: TaskMediaKind): string | undefined {
  if (starts(head, '\x89PNG\r\n\x1a\n')) return 'image/png';
  if (starts(head, '\xff\xd8\xff')) return 'image/jpeg';
  if (starts(head, 'GIF8')) return 'image/gif';
  if (starts(head, 'RIFF') && starts(head, 'WEBP', 8)) return 'image/webp';
  if (starts(head, 'RIFF') && starts(head, 'WAVE', 8)) return 'audio/wav';
  if (starts(head, 'ftyp', 4)) return brandType(head.toString('latin1', 8, 12));
  if (starts(head, '\x1aE\xdf\xa3')) return head.includes('webm') ? 'video/webm' : 'video/x-matroska';
  if (starts(head, 'OggS')) return kind === 'video' ? 'video/ogg' : 'audio/ogg';
  if (starts(head, 'fLaC')) return 'audio/flac';
  if (starts(head, 'ID3')) return 'audio/mpeg';
  const [first = 0, second = 0] = head;
  // A frame of MPEG audio; layer 0 is AAC.
  if (first === 0xff && (second & 0xe0) === 0xe0) return (second & 0x06) === 0 ? 'audio/aac' : 'audio/mpeg';
  if (
    /^(?:\uFEFF|\s)*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*(?:<!DOCTYPE svg[^>]*>\s*)?<svg[\s>]/s.test(head.toString())
  )
    return 'image/svg+xml';
  return undefined;
}

const extensions: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/svg+xml': 'svg',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'audio/aac': 'aac',
  'audio/wav': 'wav',
  'audio/ogg': 'ogg',
  'audio/flac': 'flac',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'video/quicktime': 'mov',
  'video/ogg': 'ogv',
  'video/x-matroska': 'mkv',
};

export const extensionOf = (type: string): string => extensions[type] ?? 'bin';

/** An SVG can run scripts, and unknown bytes can be anything: browsers save them instead of showing them. */
export const isShownInline = (type: string): boolean => type !== 'image/svg+xml' && Object.hasOwn(extensions, type);

const usual: Readonly<Record<TaskMediaKind, string>> = {
  image: 'image/png',
  audio: 'audio/mpeg',
  video: 'video/mp4',
};

/** The type for a part of a file whose start is not seen: as claimed if it is a known type, else the usual one. */
export function claimedType(claim: string, kind: TaskMediaKind): string {
  const [type = ''] = claim.toLowerCase().split(';');
  return Object.hasOwn(extensions, type.trim()) ? type.trim() : usual[kind];
}
