import { createHash, randomInt } from 'node:crypto';
import { isObject, parseExact, type Json } from '#json.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** An id for a call without one. */
export function newCallId(): string {
  let id = 'call_';
  for (let i = 0; i < 24; i++) id += alphabet[randomInt(62)];
  return id;
}

/** Ids of calls that vendors take. */
export const claudeCallIds = /^[a-zA-Z0-9_-]+$/;
export const openAiCallIds = /^.{1,40}$/s;
export const responsesCallIds = /^.{1,64}$/s;

/** The id if the vendor accepts it, else a hash of it, so that call and result still match. */
export function fittingId(id: string, taken: RegExp): string {
  return taken.test(id) ? id : `call_${createHash('sha256').update(id).digest('hex').slice(0, 24)}`;
}

/** A call's arguments as an object. Invalid JSON, which models sometimes write, is kept as `_raw`. */
export function argumentsObject(text: string): Json {
  if (text.trim() === '') return {};
  const json = parseExact(text);
  return isObject(json) && !('rawJSON' in json && Object.getPrototypeOf(json) === null) ? json : { _raw: text };
}

/** The schema of a custom tool for vendors that know only functions. */
export const customToolSchema: Json = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
  additionalProperties: false,
};

/** The inverse: a custom tool's text in a function call's arguments. */
export function customInput(json: string): string {
  const { input } = argumentsObject(json);
  return typeof input === 'string' ? input : json;
}

export const customArguments = (input: string): string => JSON.stringify({ input });

/** Describes the grammar for vendors that cannot enforce it. */
export const customDescription = (description: string | undefined, grammar: string | undefined): string | undefined =>
  grammar === undefined ? description : `${description ?? ''}\n\nThe input must match this grammar:\n${grammar}`.trim();
