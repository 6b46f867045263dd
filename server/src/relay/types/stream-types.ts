import type { Usage } from '@relay-hub/contract';
import type { Refusal } from '#quota/book.ts';
import type { ServedReport } from '#usage/served.ts';

/** A vendor's name of an error, uncleaned. */
export interface ErrorNames {
  type: string | undefined;
  code: string | undefined;
  /** The HTTP status that it stands for. */
  status: number | undefined;
}

/** Facts for the end of a stream that is cut. */
export interface CutContext {
  model: string;
  /** Unix seconds. */
  created: number;
  choices: number;
  wantsUsage: boolean;
}

/** Reads a stream on its way to the caller and decides which bytes may be passed on. */
export interface StreamTap {
  /** Bytes to pass on now. From the end marker on, everything is held back for `flush`. */
  push(chunk: Buffer): Buffer | undefined;
  /** The bytes held back: the end of a stream leaves once its charge is recorded. */
  flush(): Buffer | undefined;
  /** Undefined: the upstream reported none. */
  usage(): Usage | undefined;
  /** How the stream says that the call was served; left out, or undefined: it says nothing. */
  served?(): ServedReport | undefined;
  readonly finishReason: string | undefined;
  readonly done: boolean;
  /** There is content, and only the end of the connection marks the end of the stream. */
  readonly endsWithConnection?: boolean;
  /** The dialect's end marker, added to a complete stream that lacks it; left out: there is none. */
  readonly endEvent?: string;
  /** The event that reports usage to a caller of this stream; left out: the caller does not ask for it. */
  usageEvent?(usage: Usage, about: { model: string; created: number }): string;
  /**
   * Ends a stream, of which only whole events were passed on, as if its output limit was reached. Undefined, or left
   * out: its dialect has no such end without the rest of the reply.
   */
  cut?(usage: Usage, context: CutContext): Buffer | undefined;
  /** An error event of the upstream. */
  readonly error: string | undefined;
  /** The vendor's names for that error; left out: it has none. */
  readonly errorNames?: ErrorNames | undefined;
  /** The error is the vendor's content filter blocking the prompt. */
  readonly blocked?: boolean;
  /** Content has come, not only events before it; left out: all bytes are content. */
  readonly hasContent?: boolean;
  /** The stream ended without any content. */
  readonly empty?: boolean;
  readonly hasReasoning?: boolean;
  /** Number of complete images; undefined, or left out: not a stream of images. */
  images?(): number | undefined;
  /** Measured duration of audio; undefined, or left out: not measured. */
  seconds?(): number | undefined;
  /** Estimated output tokens. */
  estimatedOutput(): number;
  /** Estimated output tokens after the last usage report, which does not include them; left out: 0. */
  outputAfterUsage?(): number;
}

/** Content type that marks a response as a stream, and its reader. */
export interface StreamFormat {
  type: string | RegExp;
  createTap(): StreamTap;
  /** Keeps the caller's connection alive while the upstream is silent; left out: the format has no filler. */
  heartbeat?(): string;
  /** The tap always passes on whole events, even without blank lines between them. */
  writesWholeEvents?: boolean;
}

/** Keeps the reservation of a stream ahead of its output. */
export interface OutputCredit {
  /**
   * Covers `tokens` of estimated output before they are passed on. True: covered. Otherwise the database is asked, and
   * the promise resolves with which account or budget is insufficient; undefined: covered.
   */
  cover(tokens: number): true | Promise<Refusal | undefined>;
  /** Reserves nothing more: the stream is about to end. */
  stop(): void;
}
