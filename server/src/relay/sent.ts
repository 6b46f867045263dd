import { Buffer } from 'node:buffer';
import type { StreamTap } from './stream-tap.ts';

type FailureCode =
  | 'key_unusable'
  | 'connect_failed'
  | 'timeout'
  | 'first_token_timeout'
  | 'total_timeout'
  | 'stream_broken'
  | 'bad_reply'
  | 'reply_too_large'
  | 'client_gone';

/** How one attempt at an upstream ended, and what is still to be sent to the caller. */
export interface Sent {
  /** HTTP status of the upstream; 0 when none came. */
  status: number;
  contentType: string;
  retryAfter: string | undefined;
  /** Those of an answer that is no success. */
  headers: Record<string, string | string[] | undefined> | undefined;
  /** Milliseconds from the start of the attempt until the head of the answer, and until the first piece of its body. */
  headMs: number | undefined;
  firstByteMs: number | undefined;
  ms: number;
  /** Set for a stream: what was read of it. */
  stream: StreamTap | undefined;
  /** The answer, where it is not a stream; refusals are cut to what an error can need. */
  body: Buffer;
  /** The answers to all requests of a call that went out in several, in their order: this one tells of the first. */
  parts?: readonly Sent[];
  /** Why the connection failed or broke; undefined when the answer came to its end. */
  failure: { code: FailureCode; message: string } | undefined;
  /** What was passed on of a stream does not end with a whole event. */
  torn: boolean;
  /** The caller left before the end. */
  clientGone: boolean;
}

/** What an attempt came to for which nothing could be sent. */
export const unsent = (code: FailureCode, message: string): Sent => ({ ...nothingYet(), failure: { code, message } });

const nothing = Buffer.alloc(0);

/** Before anything has happened. */
export const nothingYet = (): Sent => ({
  status: 0,
  contentType: '',
  retryAfter: undefined,
  headers: undefined,
  headMs: undefined,
  firstByteMs: undefined,
  ms: 0,
  stream: undefined,
  body: nothing,
  failure: undefined,
  torn: false,
  clientGone: false,
});
