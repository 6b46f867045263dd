import type { Caller } from '#live/callers.ts';

/** What is known of a request so far, for the row that its refusal leaves. The relay fills it in as it goes. */
export interface Trace {
  /** Whose key it is, also where it may not be used. */
  caller: Caller | undefined;
  /** The model that is asked for; empty while it is not known. */
  model: string;
  /** Credits that the call needs; 0 while that is not known. */
  neededCredits: number;
  /** The call is on record: its end is a row of the log, whatever it is. */
  recorded: boolean;
}

export const newTrace = (): Trace => ({ caller: undefined, model: '', neededCredits: 0, recorded: false });

/** The model that a body asks for, before it is known whether the body is valid. */
export function modelIn(json: unknown): string {
  const model = (json as { model?: unknown } | null)?.model;
  return typeof model === 'string' ? model : '';
}
