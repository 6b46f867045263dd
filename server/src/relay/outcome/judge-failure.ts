import type { ChannelChoice, MaskedRefusal, Verdict } from '#relay/types/call-types.ts';
import { endSentence, outOfFiles, RelayError, serverBusy } from '#relay/reply/relay-error.ts';
import type { AttemptResult } from '#relay/types/attempt-result.ts';
import { isContentFilter, promptBlocked } from './content-filter.ts';
import { callerRefusal, credentialsRejected, readRefusal, UNKNOWN_STATUS, unnamedRefusal } from './upstream-refusal.ts';
import { maskAndTrim } from './upstream-text.ts';
import { failedVerdict } from './verdict.ts';

/** Judges an attempt without an answer: no response, or an error. `sentBody`: the body sent. */
export function judgeUnanswered(choice: ChannelChoice, result: AttemptResult, sentBody?: Buffer): Verdict {
  const { failure } = result;
  if (!failure) return judgeRefusal(choice, result, sentBody);
  if (failure.code === 'key_unusable')
    return failedVerdict('key_unusable', maskAndTrim(choice, failure.message), credentialsRejected());
  return failedVerdict(failure.code, failure.message, unreachableError(result));
}

function judgeRefusal(choice: ChannelChoice, result: AttemptResult, sentBody: Buffer | undefined): Verdict {
  const { status } = result;
  const refused =
    readRefusal(choice, result, jsonIn(result.body), sentBody) ??
    unnamedRefusal(choice, `HTTP status ${status}`, status);
  if (isContentFilter(refused)) return promptBlocked(refused.message, refused.inner);
  return {
    ...failedVerdict('upstream_status', `${status} ${refused.message}`, callerRefusal(refused, result)),
    upstreamRefusal: refused,
  };
}

function jsonIn(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The verdict on an error with a success status. */
export function judgeErrorReply(refused: MaskedRefusal, result: AttemptResult): Verdict {
  const { message, status, cause } = refused;
  if (isContentFilter(refused)) return promptBlocked(message);
  return { ...failedVerdict('error_in_reply', message, refusalOfError()), upstreamRefusal: refused };

  function refusalOfError(): RelayError {
    if (status !== UNKNOWN_STATUS || cause === 'key' || cause === 'billing') return callerRefusal(refused, result);
    if (cause === 'content') return callerRefusal({ ...refused, status: 400 }, result);
    return new RelayError(502, `The upstream answered with an error: ${message}`, {
      type: 'upstream_error',
      code: 'upstream_error',
    });
  }
}

export const isTimeout = ({ failure }: AttemptResult): boolean => failure?.code.endsWith('timeout') ?? false;

/** The caller's error when the upstream could not be used. */
export function unreachableError(result: AttemptResult): RelayError {
  if (isTimeout(result))
    return new RelayError(504, 'The upstream did not answer in time.', {
      type: 'upstream_error',
      code: 'upstream_timeout',
    });
  const { failure } = result;
  if (failure?.code === 'out_of_files') return outOfFiles();
  if (failure?.code === 'no_room') return serverBusy();
  return new RelayError(502, `The upstream could not be used: ${endSentence(failure?.message ?? 'no answer')}`, {
    type: 'upstream_error',
    code: failure?.code === 'connect_failed' ? 'upstream_unreachable' : 'bad_upstream_reply',
  });
}
