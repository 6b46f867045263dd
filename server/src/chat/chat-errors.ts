import type { Fault } from './chat.ts';

/** The caller's request cannot be read, or cannot be said in the words of the wire: a 400 that names the field. */
export class BadChatRequest extends Error {
  /** Path of the field, such as `messages.0.content`; undefined: the body itself. */
  readonly field: string | undefined;

  constructor(message: string, field?: string) {
    super(message);
    this.field = field;
  }
}

/** The same work, where input that is nested without end is refused instead of filling the stack. */
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

/** An upstream's answer that came with a success status and is none. */
export class BadReply extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}
