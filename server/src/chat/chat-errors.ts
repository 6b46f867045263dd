import type { ChatFault } from './chat.ts';

/** An unreadable request, or one that the wire does not support: a 400 that names the field. */
export class BadChatRequest extends Error {
  /** Path of the field, such as `messages.0.content`; undefined for the whole body. */
  readonly field: string | undefined;

  constructor(message: string, field?: string) {
    super(message);
    this.field = field;
  }
}

/** Turns a stack overflow by deeply nested input into a refusal. */
export const ofBoundedDepth =
  <Args extends unknown[], Result>(work: (...args: Args) => Result) =>
  (...args: Args): Result => {
    try {
      return work(...args);
    } catch (error) {
      if (error instanceof RangeError) throw new BadChatRequest('The request is nested too deeply.');
      throw error;
    }
  };

/** An upstream reply with a success status that is not a valid reply. */
export class BadReply extends Error {
  readonly fault: ChatFault;

  constructor(fault: ChatFault) {
    super(fault.message);
    this.fault = fault;
  }
}
