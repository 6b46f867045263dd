import type { Usage } from '@relay-hub/contract';
import { BadReply } from '#chat/chat-errors.ts';
import type { Json } from '#chat/chat.ts';
import { listOr, objectOr, textOr } from '#chat/fields.ts';
import type { Content, Conversion } from '#providers/operation.ts';
import { chargedImages } from '#relay/call/assumed-usage.ts';
import type { MediaReply } from '#relay/call/types.ts';
import type { AttemptResult } from '#relay/upstream/attempt-result.ts';
import type { UsageFormat } from '#usage/usage-format.ts';
import { PARSED_BYTES, parseObject, readReply } from './json-reply.ts';

const isJson = ({ contentType }: AttemptResult): boolean => contentType === '' || /json/i.test(contentType);

/** An answer as JSON, where it is short enough to be an error. */
export const shortJson = (result: AttemptResult): Json | undefined =>
  result.body.length <= PARSED_BYTES && isJson(result) ? parseObject(result.body.toString('utf8')) : undefined;

/** An answer with images, which passes on as it is. Throws `BadReply`. */
export function readImages({ body }: AttemptResult, format: UsageFormat, assumed: Usage): MediaReply {
  const { usage, isComplete: whole } = readReply(body, format);
  if (!whole) throw incompleteJson();
  const images = imagesIn(body);
  if (images === 0) throw noImage();
  const told = format.read(usage);
  const used = chargedImages(told, images, assumed);
  return told ? { usage: used, images } : { usage: undefined, assumed: used, images };
}

/** How many images are in an answer; long ones are not parsed for it, unless none is found. */
function imagesIn(body: Buffer): number {
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

/** A text that was written down, as JSON or as it is, which passes on. Throws `BadReply`. */
export function readTranscript(result: AttemptResult, format: UsageFormat): MediaReply {
  const text = result.body.toString('utf8');
  if (!isJson(result)) {
    if (/^\s*<(?:!doctype|html)/i.test(text)) throw incompleteJson();
    return { usage: undefined, ...spokenText(withoutTimestamps(text)) };
  }
  const json = parseObject(text);
  if (!json) throw incompleteJson();
  const { duration, text: said } = json;
  if (typeof said !== 'string') throw new BadReply({ code: 'bad_reply', message: 'the answer holds no text' });
  const told =
    format.read(format.find(json)) ?? format.read({ type: 'duration', seconds: Number(duration ?? Number.NaN) });
  return { usage: told, ...spokenText(said) };
}

/** Silence says nothing, and is charged by its length. */
const spokenText = (text: string): Pick<MediaReply, 'text'> => (text.trim() === '' ? {} : { text });

/** The words of subtitles. */
const withoutTimestamps = (text: string): string =>
  text.includes('-->')
    ? text
        .replace(/^(?:WEBVTT.*|\d+|.*-->.*)\r?$/gm, '')
        .replace(/\n{2,}/g, '\n')
        .trim()
    : text;

/** Whatever comes instead of sound is no answer. Throws `BadReply`. */
export const rejectNonAudio = (): never => {
  throw new BadReply({ code: 'bad_reply', message: 'the answer holds no sound' });
};

/** A vendor's own answer in OpenAI's form, and what it used; undefined: it told none. Throws `BadReply`. */
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

export const noImage = () => new BadReply({ code: 'bad_reply', message: 'the answer holds no image' });

/** An answer nobody can read. */
export const incompleteJson = () => new BadReply({ code: 'bad_reply', message: 'not a whole JSON answer' });
