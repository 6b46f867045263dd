import { Buffer } from 'node:buffer';
import { googleFileAt } from '#chat/gemini/google-files.ts';
import { isObject, type Json, parseJson } from '#json.ts';
import type { MediaInput } from '#providers/video-order.ts';
import { typeOfMedia } from '#tasks/submit/media-type.ts';
import { invalidTask } from '#tasks/task-refusal.ts';

const LONGEST_PROMPT = 20_000;
const LONGEST_TEXT = 1000;
const LONGEST_ADDRESS = 8192;
const LONGEST_VIDEO_S = 3600;
const MOST_MEDIA = 10;

/** Absent values: clients send null and empty texts for fields that were not filled in. */
const isAbsent = (value: unknown): value is undefined | null | '' =>
  value === undefined || value === null || value === '';

/** A text; undefined: absent. Throws a 400 for another type, or more than `most` characters. */
export function textField(body: Json, name: string, most = LONGEST_TEXT): string | undefined {
  const value = body[name];
  if (isAbsent(value)) return undefined;
  if (typeof value !== 'string') throw invalidTask(`'${name}' is not valid: it must be a text.`, name);
  // PostgreSQL stores no NUL.
  if (value.includes('\0')) throw invalidTask(`'${name}' is not valid: it has a NUL character.`, name);
  if (value.length > most) throw invalidTask(`'${name}' is longer than ${most} characters.`, name);
  return value;
}

/** The prompt; empty: absent. Throws a 400 for none where one is `required`. */
export function promptField(body: Json, required = true): string {
  const prompt = textField(body, 'prompt', LONGEST_PROMPT) ?? '';
  if (required && prompt.trim() === '') throw invalidTask("'prompt' is required.", 'prompt');
  return prompt;
}

/** A number, or a text with one; undefined: absent. Throws a 400. */
export function numberField(body: Json, name: string): number | undefined {
  const value = body[name];
  if (isAbsent(value)) return undefined;
  const number = typeof value === 'string' && /^-?\d{1,12}(?:\.\d{1,9})?$/.test(value.trim()) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number))
    throw invalidTask(`'${name}' is not valid: it must be a number.`, name);
  return number;
}

/** A length in seconds; undefined: absent. Throws a 400 unless it is above zero. */
export function secondsField(body: Json, name: string): number | undefined {
  const value = body[name];
  // Google's Interactions write `8s`.
  const given = typeof value === 'string' ? value.trim().replace(/^(\d.*?)s$/, '$1') : value;
  const seconds = numberField({ [name]: given }, name);
  if (seconds !== undefined && (seconds <= 0 || seconds > LONGEST_VIDEO_S))
    throw invalidTask(`'${name}' is not valid: it must be above 0 and at most ${LONGEST_VIDEO_S}.`, name);
  return seconds;
}

export function wholeField(body: Json, name: string): number | undefined {
  const value = numberField(body, name);
  if (value !== undefined && !Number.isSafeInteger(value))
    throw invalidTask(`'${name}' is not valid: it must be a whole number.`, name);
  return value;
}

export function flagField(body: Json, name: string): boolean | undefined {
  const value = body[name];
  if (isAbsent(value)) return undefined;
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw invalidTask(`'${name}' is not valid: it must be true or false.`, name);
}

/** An object, or a text with one in JSON; undefined: absent. Throws a 400. */
export function objectField(body: Json, name: string): Json | undefined {
  const value = body[name];
  if (isAbsent(value)) return undefined;
  const object = typeof value === 'string' ? parseJson(value) : value;
  if (!isObject(object)) throw invalidTask(`'${name}' is not valid: it must be an object.`, name);
  return object;
}

const bareBase64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/**
 * A picture, video or sound: an address, a data URL, or bare base64; undefined: absent. An address is not fetched here:
 * the vendor does that. Throws a 400 for anything else.
 */
export function mediaInput(value: unknown, name: string): MediaInput | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value !== 'string') throw badMedia(name);
  const text = value.trim();
  if (/^https?:\/\//i.test(text)) {
    if (text.length > LONGEST_ADDRESS || !URL.canParse(text)) throw badMedia(name);
    // It may belong to another user of the account.
    if (googleFileAt(text) !== undefined)
      throw invalidTask(`'${name}' names a file of Google's Files API, which cannot be used here.`, name);
    return { url: text };
  }
  const [head, type = ''] = /^data:((?:image|video|audio)\/[\w.+-]{1,40});base64,/i.exec(text) ?? [];
  const base64 = head === undefined ? text : text.slice(head.length);
  if (!bareBase64.test(base64)) throw badMedia(name);
  if (head !== undefined) return { base64, type: type.toLowerCase() };
  const found = typeOfMedia(Buffer.from(base64.slice(0, 64), 'base64'));
  if (found === undefined) throw badMedia(name);
  return { base64, type: found };
}

const badMedia = (name: string) =>
  invalidTask(`'${name}' is not valid: it must be an address with http or https, a data URL, or a file.`, name);

/** The same for a list, or a single one. */
export function mediaList(value: unknown, name: string): MediaInput[] {
  const values = Array.isArray(value) ? value : isAbsent(value) ? [] : [value];
  if (values.length > MOST_MEDIA) throw invalidTask(`'${name}' has more than ${MOST_MEDIA} entries.`, name);
  return values.map((one) => mediaInput(one, name)).filter((one) => one !== undefined);
}

/** A callers' address for notifications; empty: none. Throws a 400 for anything but http and https. */
export function hookField(body: Json, name: string): string {
  const hook = textField(body, name, 2000) ?? '';
  if (hook !== '' && !(/^https?:\/\//i.test(hook) && URL.canParse(hook)))
    throw invalidTask(`'${name}' is not valid: it must be an address with http or https.`, name);
  return hook;
}
