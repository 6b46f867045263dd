import type { Usage, UsageFinding, UsageMark } from '@relay-hub/contract';
import { noUsage } from '@relay-hub/contract';
import type { Choice } from '#relay/select/choose.ts';
import type { ParsedRequest } from '#relay/dialects/open-ai.ts';
import type { Exchange } from '#relay/convert/exchange.ts';
import type { OperationName } from '#relay/select/offer.ts';
import type { RelayError } from '#relay/routes/relay-error.ts';
import type { Refused } from './upstream-refusal.ts';

/** A request, and what was asked of which channel. */
export interface Judged {
  request: ParsedRequest;
  choice: Choice;
  exchange: Exchange;
  operation: OperationName;
  /** The caller's body as it was parsed; undefined: it was a form. */
  json: unknown;
}

/** What an attempt came to: for the caller, and for the books. */
export interface Verdict {
  /** `client_gone` also where the channel has calls of callers who left broken off. */
  outcome: 'answered' | 'client_gone' | 'broken' | 'failed';
  usage: Usage;
  usageSource: 'upstream' | 'estimate';
  /** Of an estimate: a part of its counters is as the upstream reported it. */
  reported?: boolean;
  /** What an answer says whose usage was not told, so that it can be counted better than by its length. */
  said?: string | undefined;
  /** How many images came; left out: it was no call for images. */
  images?: number | undefined;
  /** Why the reported usage was in doubt; `usage` is what is charged. */
  doubt?: { mark: UsageMark; findings: UsageFinding[] };
  finishReason: string | undefined;
  /** For the attempt's line in the log row: `ok`, or a code. */
  result: string;
  /** What the upstream said when it failed, masked. */
  message: string | undefined;
  /** The upstream said no, and with what. */
  refused?: Refused;
  /** Told to the caller: as the answer, or as the last event of a stream that has begun. */
  refusal?: RelayError;
  /** What the caller has of a stream that broke does not end with a whole event. */
  torn?: boolean;
  reply?: { status: number; contentType: string; body: Buffer };
  /** The end of a stream, kept back until the charge is written. */
  tail?: Buffer | undefined;
}

/** The verdict on an attempt that brought nothing. */
export function failed(result: string, message: string, refusal: RelayError): Verdict {
  return {
    outcome: 'failed',
    usage: noUsage,
    usageSource: 'upstream',
    finishReason: undefined,
    result,
    message,
    refusal,
  };
}

/** What a call is taken to have used of which nothing is known. */
export const assumedOf = ({ request }: Judged): Usage => request.assumed ?? { ...noUsage, input: request.inputTokens };
