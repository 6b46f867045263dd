import { Buffer } from 'node:buffer';
import type { Route } from '#live/host-health.ts';
import { isOutOfFiles } from '#process/out-of-files.ts';
import type { StreamTap } from '#relay/stream/types.ts';

type FailureCode =
  | 'key_unusable'
  | 'connect_failed'
  | 'out_of_files'
  | 'no_room'
  | 'timeout'
  | 'first_token_timeout'
  | 'total_timeout'
  | 'stream_broken'
  | 'bad_reply'
  | 'reply_too_large'
  | 'client_gone';

interface UpstreamFailure {
  code: FailureCode;
  message: string;
  /** The code of the system's or the client's own error. */
  system?: string | undefined;
}

/** How one attempt at an upstream ended, and what is still to be sent to the caller. */
export interface AttemptResult {
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
  /** Bytes of a stream's body. */
  streamedBytes: number;
  /** The answer, where it is not a stream; refusals are cut to what an error can need. */
  body: Buffer;
  /** The answers to all requests of a call that went out in several, in their order: this one tells of the first. */
  parts?: readonly AttemptResult[];
  /** Why the connection failed or broke; undefined when the answer came to its end. */
  failure: UpstreamFailure | undefined;
  /** The request was on its way. False where no connection could be made, so that the upstream knows nothing of it. */
  requestStarted: boolean;
  /** What was passed on of a stream does not end with a whole event. */
  endsMidEvent: boolean;
  /** Where no connection could be made; undefined: there was one, or none was tried. */
  unreachableRoute?: Route | undefined;
  /** The caller left before the end. */
  clientGone: boolean;
}

/** What an attempt came to for which nothing could be sent. */
export const unsentResult = (code: FailureCode, message: string): AttemptResult => ({
  ...emptyResult(),
  failure: { code, message },
});

/** The same where the key could not be used, or what makes a token of it could not be asked. */
export const keyFailure = (error: unknown): AttemptResult =>
  isOutOfFiles(error)
    ? unsentResult('out_of_files', 'this server has no file descriptors left')
    : unsentResult('key_unusable', (error as Error).message);

const nothing = Buffer.alloc(0);

/** Before anything has happened. */
export const emptyResult = (): AttemptResult => ({
  status: 0,
  contentType: '',
  retryAfter: undefined,
  headers: undefined,
  headMs: undefined,
  firstByteMs: undefined,
  ms: 0,
  stream: undefined,
  streamedBytes: 0,
  body: nothing,
  failure: undefined,
  requestStarted: false,
  endsMidEvent: false,
  clientGone: false,
});
