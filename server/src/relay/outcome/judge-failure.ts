import type { Choice } from '#relay/select/choose.ts';
import { isContentFilter, promptBlocked } from './content-filter.ts';
import { closed, noRoom, outOfFiles, RelayError } from '#relay/routes/relay-error.ts';
import type { Sent } from '#relay/upstream/sent.ts';
import { refusalFor, type Refused, refusedIn, rejected, UNKNOWN_STATUS, withoutWords } from './upstream-refusal.ts';
import { cleaned } from './upstream-text.ts';
import { failed, type Verdict } from './verdict.ts';

/**
 * Decides what the end of an attempt means that brought no answer: nothing came, or a refusal. `asked`: what was sent.
 */
export function judgeUnanswered(choice: Choice, sent: Sent, asked?: Buffer): Verdict {
  const { failure } = sent;
  if (!failure) return judgeRefusal(choice, sent, asked);
  if (failure.code === 'key_unusable') return failed('key_unusable', cleaned(choice, failure.message), rejected());
  return failed(failure.code, failure.message, unreachable(sent));
}

function judgeRefusal(choice: Choice, sent: Sent, asked: Buffer | undefined): Verdict {
  const { status } = sent;
  const refused =
    refusedIn(choice, sent, jsonIn(sent.body), asked) ?? withoutWords(choice, `HTTP status ${status}`, status);
  if (isContentFilter(refused)) return promptBlocked(refused.message);
  return {
    ...failed('upstream_status', `${status} ${refused.message}`, refusalFor(refused, sent)),
    refused,
  };
}

function jsonIn(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The verdict on an error that came with a success status. */
export function errorInReply(refused: Refused, sent: Sent): Verdict {
  const { message, status, cause } = refused;
  if (isContentFilter(refused)) return promptBlocked(message);
  return { ...failed('error_in_reply', message, refusalOfError()), refused };

  function refusalOfError(): RelayError {
    if (status !== UNKNOWN_STATUS || cause === 'key' || cause === 'billing') return refusalFor(refused, sent);
    if (cause === 'content') return refusalFor({ ...refused, status: 400 }, sent);
    return new RelayError(502, 'upstream_error', 'upstream_error', `The upstream answered with an error: ${message}`);
  }
}

/** Whether a time-out ended it. */
export const isLate = ({ failure }: Sent): boolean => failure?.code.endsWith('timeout') ?? false;

/** What the caller is told of an upstream that could not be used. */
export function unreachable(sent: Sent): RelayError {
  if (isLate(sent))
    return new RelayError(504, 'upstream_error', 'upstream_timeout', 'The upstream did not answer in time.');
  const { failure } = sent;
  if (failure?.code === 'out_of_files') return outOfFiles();
  if (failure?.code === 'no_room') return noRoom();
  return new RelayError(
    502,
    'upstream_error',
    failure?.code === 'connect_failed' ? 'upstream_unreachable' : 'bad_upstream_reply',
    `The upstream could not be used: ${closed(failure?.message ?? 'no answer')}`,
  );
}
