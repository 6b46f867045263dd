import type { Usage } from '@relay-hub/contract';
import { listOr, objectOr, textOr, type Json } from '#json.ts';
import { BadReply } from '#chat/chat-errors.ts';
import type { Content, Conversion } from '#providers/operation.ts';
import { chargedImages } from '#relay/dialects/assumed-usage.ts';
import type { MediaReply } from '#relay/types/call-types.ts';
import type { AttemptResult } from '#relay/types/attempt-result.ts';
import type { UsageFormat } from '#usage/usage-format.ts';
import { isJson, PARSED_BYTES, parseObject, readReply } from '#relay/body/json-reply.ts';

/** Reads a reply with images that passes through. Throws `BadReply`. */
export function readImages({ body }: AttemptResult, format: UsageFormat, assumed: Usage): MediaReply {
  const { usage, isComplete: whole } = readReply(body, format);
  if (!whole) throw incompleteJson();
  const images = imagesIn(body);
  if (images === 0) throw noImage();
  const reported = format.read(usage);
  const used = chargedImages(reported, images, assumed);
  return reported ? { usage: used, images } : { usage: undefined, assumed: used, images };
}

/** Number of images; large replies are parsed only if the search finds none. */
export function imagesIn(body: Buffer): number {
  const found = body.length > PARSED_BYTES ? Math.max(countOf(body, '"b64_json"'), countOf(body, '"url"')) : 0;
  return found > 0 ? found : listOr(parseObject(body.toString('utf8'))?.['data']).filter(isImage).length;
}

export const isImage = (one: unknown): boolean => {
  const { b64_json: bytes, url } = objectOr(one);
  return textOr(bytes, '') !== '' || textOr(url, '') !== '';
};

function countOf(body: Buffer, name: string): number {
  let count = 0;
  for (let at = body.indexOf(name); at >= 0; at = body.indexOf(name, at + name.length)) count++;
  return count;
}

/** Reads a transcript, as JSON or plain text, that passes through. Throws `BadReply`. */
export function readTranscript(result: AttemptResult, format: UsageFormat): MediaReply {
  const text = result.body.toString('utf8');
  if (!isJson(result)) {
    if (/^\s*<(?:!doctype|html)/i.test(text)) throw incompleteJson();
    return { usage: undefined, ...spokenText(withoutTimestamps(text)) };
  }
  const json = parseObject(text);
  if (!json) throw incompleteJson();
  const { duration, text: transcript } = json;
  if (typeof transcript !== 'string') throw new BadReply({ code: 'bad_reply', message: 'the reply contains no text' });
  const reported =
    format.read(format.find(json)) ?? format.read({ type: 'duration', seconds: Number(duration ?? Number.NaN) });
  return { usage: reported, ...spokenText(transcript) };
}

/** Silence has no text and is charged by its duration. */
const spokenText = (text: string): Pick<MediaReply, 'text'> => (text.trim() === '' ? {} : { text });

/** The text of subtitles. */
const withoutTimestamps = (text: string): string =>
  text.includes('-->')
    ? text
        .replace(/^(?:WEBVTT.*|\d+|.*-->.*)\r?$/gm, '')
        .replace(/\n{2,}/g, '\n')
        .trim()
    : text;

/** Rejects a reply that is not audio. Throws `BadReply`. */
export const rejectNonAudio = (): never => {
  throw new BadReply({ code: 'bad_reply', message: 'the answer holds no sound' });
};

/** Converts a vendor's reply to OpenAI's format. `usage` undefined: not reported. Throws `BadReply`. */
export function readConverted(
  result: AttemptResult,
  format: UsageFormat,
  convert: Conversion,
  request: Json,
): { usage: Usage | undefined; content: Content } {
  const json = isJson(result) ? parseObject(result.body.toString('utf8')) : undefined;
  if (isJson(result) && !json) throw incompleteJson();
  const content = json ? { json } : { bytes: result.body, contentType: result.contentType };
  return { usage: format.read(format.find(json)), content: convert.reply(content, request) };
}

export const noImage = () => new BadReply({ code: 'bad_reply', message: 'the reply contains no image' });

export const incompleteJson = () => new BadReply({ code: 'bad_reply', message: 'not a complete JSON reply' });
