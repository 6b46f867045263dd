import type { CallError, TokenUsage } from '#domain/playground/playground-types.ts';

/** Addition of one event to an answer. */
export interface Delta {
  text?: string;
  reasoning?: string;
  /** Begins a tool call, or adds to the input of the one with the same key. */
  tool?: { key: string; name?: string; input?: string };
  /** A data URL or an address. */
  media?: string;
  /** Counters that are known so far. */
  usage?: Partial<TokenUsage>;
  finish?: string;
  error?: CallError;
}

/** Reads an event of a stream, or a reply in one piece. */
export type DeltaReader = (event: Json) => Delta[];

export type Json = Record<string, unknown>;

export const objectOr = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}; // checked on this line

export const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.map(objectOr) : []);

export const textOr = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A number or text that identifies a part of a stream; empty: none. */
export const keyOr = (value: unknown): string => (typeof value === 'number' ? String(value) : textOr(value));

/** A text delta, or nothing for an empty text. */
export const textDelta = (value: unknown): Delta[] => (textOr(value) === '' ? [] : [{ text: textOr(value) }]);

export const reasoningDelta = (value: unknown): Delta[] => (textOr(value) === '' ? [] : [{ reasoning: textOr(value) }]);

/** Counters under the given names; without any there is no delta. */
export function usageDelta(value: unknown, input: string, output: string): Delta[] {
  const counters = objectOr(value);
  const usage: Partial<TokenUsage> = {};
  if (typeof counters[input] === 'number') usage.input = counters[input];
  if (typeof counters[output] === 'number') usage.output = counters[output];
  return Object.keys(usage).length > 0 ? [{ usage }] : [];
}

export const finishDelta = (value: unknown): Delta[] => (textOr(value) === '' ? [] : [{ finish: textOr(value) }]);

/** The error in a reply of any dialect; undefined: none is in it. */
export function errorIn(reply: unknown, status: number): CallError | undefined {
  const { error } = objectOr(Array.isArray(reply) ? reply[0] : reply);
  if (typeof error === 'string') return { status, code: '', message: error };
  const details = objectOr(error);
  const message = textOr(details['message']);
  if (message === '') return undefined;
  const code = textOr(details['code']) || textOr(details['type']) || textOr(details['status']);
  const param = textOr(details['param']);
  return { status, code, message, ...(param !== '' && { param }) };
}
