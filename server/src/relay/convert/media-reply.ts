import type { Usage } from '@relay-hub/contract';
import type { Json } from '#chat/chat.ts';
import { BadReply } from '#chat/chat-errors.ts';
import { listOr, objectOr, textOr } from '#chat/fields.ts';
import type { UsageFormat } from '#usage/usage-format.ts';
import { imagesTold } from '#relay/call/assumed.ts';
import type { Content, Conversion } from '#providers/operation.ts';
import { parseObject, PARSED_BYTES, readReply } from './json-reply.ts';
import type { Sent } from '#relay/upstream/sent.ts';

/** What an answer that is no chat came to. */
export interface ContentRead {
  /** Undefined: the upstream told none. */
  usage: Usage | undefined;
  /** Where none was told, how it is charged; undefined: as it was assumed before the call. */
  assumed?: Usage;
  /** How many images it holds; left out: it is no answer of images. */
  images?: number;
  /** The text of it, by which it is charged where no usage was told. */
  said?: string;
  /** What the caller gets; undefined: the upstream's own bytes. */
  told?: { body: Buffer; contentType: string };
}

const isJson = ({ contentType }: Sent): boolean => contentType === '' || /json/i.test(contentType);

/** An answer as JSON, where it is short enough to be an error. */
export const shortJson = (sent: Sent): Json | undefined =>
  sent.body.length <= PARSED_BYTES && isJson(sent) ? parseObject(sent.body.toString('utf8')) : undefined;

/** An answer with images, which passes on as it is. Throws `BadReply`. */
export function readImages({ body }: Sent, format: UsageFormat, assumed: Usage): ContentRead {
  const { usage, whole } = readReply(body, format);
  if (!whole) throw noJson();
  const images = imagesIn(body);
  if (images === 0) throw noImage();
  const told = format.read(usage);
  const used = imagesTold(told, images, assumed);
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
export function readTranscript(sent: Sent, format: UsageFormat): ContentRead {
  const text = sent.body.toString('utf8');
  if (!isJson(sent)) {
    if (/^\s*<(?:!doctype|html)/i.test(text)) throw noJson();
    return { usage: undefined, ...saidIn(withoutTimes(text)) };
  }
  const json = parseObject(text);
  if (!json) throw noJson();
  const { duration, text: said } = json;
  if (typeof said !== 'string') throw new BadReply({ code: 'bad_reply', message: 'the answer holds no text' });
  const told =
    format.read(format.find(json)) ?? format.read({ type: 'duration', seconds: Number(duration ?? Number.NaN) });
  return { usage: told, ...saidIn(said) };
}

/** Silence says nothing, and is charged by its length. */
const saidIn = (said: string): Pick<ContentRead, 'said'> => (said.trim() === '' ? {} : { said });

/** The words of subtitles. */
const withoutTimes = (text: string): string =>
  text.includes('-->')
    ? text
        .replace(/^(?:WEBVTT.*|\d+|.*-->.*)\r?$/gm, '')
        .replace(/\n{2,}/g, '\n')
        .trim()
    : text;

/** Whatever comes instead of sound is no answer. Throws `BadReply`. */
export const readNoSound = (): never => {
  throw new BadReply({ code: 'bad_reply', message: 'the answer holds no sound' });
};

/** A vendor's own answer in OpenAI's form, and what it used; undefined: it told none. Throws `BadReply`. */
export function readConverted(
  sent: Sent,
  format: UsageFormat,
  convert: Conversion,
  request: Json,
): { usage: Usage | undefined; content: Content } {
  const json = isJson(sent) ? parseObject(sent.body.toString('utf8')) : undefined;
  if (isJson(sent) && !json) throw noJson();
  const content = json ? { json } : { bytes: sent.body, contentType: sent.contentType };
  return { usage: format.read(format.find(json)), content: convert.reply(content, request) };
}

export const noImage = () => new BadReply({ code: 'bad_reply', message: 'the answer holds no image' });

/** An answer nobody can read. */
export const noJson = () => new BadReply({ code: 'bad_reply', message: 'not a whole JSON answer' });
