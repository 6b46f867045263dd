import { isObject, textOr } from '#json.ts';
import type { Caller } from '#live/callers.ts';

/** Facts about a request for the log row of its refusal; filled in during processing. */
export interface Trace {
  /** Owner of the key, even if the key may not be used. */
  caller: Caller | undefined;
  /** Empty until known. */
  model: string;
  /** Credits that the call needs; 0 until known. */
  neededCredits: number;
  /** The call is on record: from here on it ends as a log row. */
  recorded: boolean;
}

export const newTrace = (): Trace => ({ caller: undefined, model: '', neededCredits: 0, recorded: false });

/** The model in a body that is not validated yet. */
export function modelIn(json: unknown): string {
  return isObject(json) ? textOr(json['model'], '') : '';
}
