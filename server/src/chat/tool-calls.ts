import { createHash, randomInt } from 'node:crypto';
import type { Json } from './chat.ts';
import { isObject, parseJson } from './fields.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** An id for a call to which the vendor gave none. */
export function newCallId(): string {
  let id = 'call_';
  for (let i = 0; i < 24; i++) id += alphabet[randomInt(62)];
  return id;
}

/** The id as it is where the vendor takes it, else one made of it: always the same, so that call and result match. */
export function fittingId(id: string, taken: RegExp): string {
  return taken.test(id) ? id : `call_${createHash('sha256').update(id).digest('hex').slice(0, 24)}`;
}

/**
 * The arguments of a call as the object that most vendors want. Models write invalid JSON at times; what cannot be
 * read is handed on as `_raw`, so that nothing is lost.
 */
export function argumentsObject(text: string): Json {
  if (text.trim() === '') return {};
  const json = parseJson(text);
  return isObject(json) ? json : { _raw: text };
}

/** The schema under which a custom tool, whose input is a text, is offered to vendors that know functions only. */
export const customToolSchema: Json = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
  additionalProperties: false,
};

/** The text that a vendor's call of such a function means. */
export function customInput(json: string): string {
  const { input } = argumentsObject(json);
  return typeof input === 'string' ? input : json;
}

export const customArguments = (input: string): string => JSON.stringify({ input });

/** A custom tool's grammar is told in words where no vendor can enforce it. */
export const customDescription = (description: string | undefined, grammar: string | undefined): string | undefined =>
  grammar === undefined ? description : `${description ?? ''}\n\nThe input must match this grammar:\n${grammar}`.trim();
