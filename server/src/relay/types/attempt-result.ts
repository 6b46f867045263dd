import { Buffer } from 'node:buffer';
import type { ServiceMode } from '@relay-hub/contract';
import type { Route } from '#live/host-health.ts';
import type { Refusal } from '#quota/book.ts';
import { isOutOfFiles } from '#process/out-of-files.ts';
import type { StreamTap } from './stream-types.ts';

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
  /** Error code of the system or of undici. */
  system?: string | undefined;
}

/** How one attempt ended, and what is still to be sent to the caller. */
export interface AttemptResult {
  /** HTTP status of the upstream; 0: no response. */
  status: number;
  contentType: string;
  retryAfter: string | undefined;
  /** Headers of an error response; of any for a channel that learns its limits. */
  headers: Record<string, string | string[] | undefined> | undefined;
  /** Tier that the headers of a reply name; left out: none. */
  tier?: ServiceMode[] | undefined;
  /**
   * Milliseconds from the start of the attempt to the response head, and to the first byte of the body or the first
   * content of a stream.
   */
  headMs: number | undefined;
  firstByteMs: number | undefined;
  ms: number;
  /** Set for a stream. */
  stream: StreamTap | undefined;
  streamedBytes: number;
  /** Body of a reply that is not a stream; errors are truncated. Of a stream: what is held back, as it has no content. */
  body: Buffer;
  /** All results, in order, of a call sent in several requests; this object describes the first. */
  parts?: readonly AttemptResult[];
  /** Why the connection failed or broke; undefined: the response is complete. */
  failure: UpstreamFailure | undefined;
  /** False: no connection, so the upstream knows nothing of the request. */
  requestStarted: boolean;
  /** The connection, which had served another request, broke before a response. */
  wasReused?: boolean;
  /** The passed part of a stream ends in the middle of an event. */
  endsMidEvent: boolean;
  /** The whole address that was asked; set for status 404. */
  address?: string;
  /** Where no connection could be made. */
  unreachableRoute?: Route | undefined;
  /** The caller left before the end. */
  clientGone: boolean;
  /** The balance or budget that ended the stream; left out: none did. */
  cut?: Refusal;
  /** A guardrail ended the stream. */
  refused?: true;
}

/** Result of an attempt that could not be sent. */
export const unsentResult = (code: FailureCode, message: string): AttemptResult => ({
  ...emptyResult(),
  failure: { code, message },
});

/** Result of an attempt whose key is unusable or whose token could not be fetched. */
export const keyFailure = (error: unknown): AttemptResult =>
  isOutOfFiles(error)
    ? unsentResult('out_of_files', 'this server has no file descriptors left')
    : unsentResult('key_unusable', error instanceof Error ? error.message : String(error));

const nothing = Buffer.alloc(0);

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
