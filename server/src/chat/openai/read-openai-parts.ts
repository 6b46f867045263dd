import type { AudioPart, CacheMark, FilePart, ImagePart, Part, TextPart } from '../chat.ts';
import { type Fields, lookUp } from '../fields.ts';
import { typeOfBase64 } from '../media-type.ts';
import { mimeOf, ofItsType, pictureOf, sourceOf } from '../sources.ts';

type ContentPart = TextPart | ImagePart | AudioPart | FilePart;

/** A message's content: a string or a list of parts; empty for null. */
export function readContent(message: Fields, name: string): Part[] {
  const value = message.any(name);
  if (value === undefined || value === '') return [];
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  if (!Array.isArray(value)) return message.fail(name, 'a text or a list of parts');
  return (message.objects(name) ?? []).map(readPart);
}

function readPart(part: Fields): Part {
  const type = part.needText('type');
  if (type === 'refusal') return { type: 'refusal', text: part.text('refusal') ?? '' };
  const read = lookUp(readers, type);
  if (!read) return part.fail('type', `one of ${Object.keys(readers).join(', ')}`);
  const cache = readCacheMark(part);
  return cache ? { ...read(part), cache } : read(part);
}

const readers: Record<string, (part: Fields) => ContentPart> = {
  text: (part) => ({ type: 'text', text: part.text('text') ?? part.missing('text') }),
  image_url: readImage,
  input_audio: readAudio,
  file: readFile,
  video_url: readVideo,
};

function readImage(part: Fields): ImagePart | FilePart {
  if (typeof part.any('image_url') === 'string') return pictureOf(sourceOf(part.needText('image_url'), 'image/png'));
  const image = part.object('image_url') ?? part.missing('image_url');
  return pictureOf(sourceOf(image.needText('url'), 'image/png'), { detail: image.text('detail') });
}

function readVideo(part: Fields): FilePart {
  const url = (part.object('video_url') ?? part.missing('video_url')).needText('url');
  return { type: 'file', source: sourceOf(url, 'video/mp4'), mime: mimeOf(url) ?? 'video/mp4' };
}

function readAudio(part: Fields): AudioPart {
  const audio = part.object('input_audio') ?? part.missing('input_audio');
  const base64 = audio.needText('data');
  return { type: 'audio', mime: typeOfBase64(base64, `audio/${audio.text('format') ?? 'wav'}`), base64 };
}

function readFile(part: Fields): FilePart {
  const file = part.object('file') ?? part.missing('file');
  const name = file.text('filename');
  const fileId = file.text('file_id');
  if (fileId) return { type: 'file', source: { fileId }, name };
  const data = file.text('file_data') ?? file.missing('file_data');
  const mime = (name && mimeOf(name)) ?? 'application/pdf';
  // Some clients send base64 without a data URL prefix.
  const source = ofItsType(/^(data:|https?:)/.test(data) ? sourceOf(data, mime) : { mime, base64: data });
  return { type: 'file', source, name, mime: 'mime' in source ? source.mime : mime };
}

/** OpenAI's cache mark, or Anthropic's, which is common in this dialect too. */
export function readCacheMark(at: Fields): CacheMark | undefined {
  const mark = at.object('cache_control') ?? at.object('prompt_cache_breakpoint');
  return mark && { ttl: mark.text('ttl') };
}
