import { noUsage } from '@relay-hub/contract';
import { parseJson } from '#json.ts';
import type { TaskOperation, TaskOrder, TaskReceipt } from '#providers/task-operation.ts';
import type { ProviderCall } from '#providers/operation.ts';
import type { ChannelChoice, Verdict } from '#relay/types/call-types.ts';
import { judgeErrorReply, judgeUnanswered } from '#relay/outcome/judge-failure.ts';
import { maskAndTrim, maskForCaller, refusalForCaller } from '#relay/outcome/upstream-text.ts';
import { readRefusal } from '#relay/outcome/upstream-refusal.ts';
import { failedVerdict } from '#relay/outcome/verdict.ts';
import { endSentence, RelayError } from '#relay/reply/relay-error.ts';
import type { AttemptResult } from '#relay/types/attempt-result.ts';
import { TaskRefusal } from '#tasks/task-refusal.ts';

/** The upstream's answer to a submission. */
export interface JudgedAnswer {
  verdict: Verdict;
  /** Undefined: there is none, or it is lost. */
  receipt?: TaskReceipt;
  /** The upstream may have accepted the task: it must not be sent again. */
  isLost?: boolean;
  /** Not sent to another channel, since the upstream may do something about it. */
  isFinal?: boolean;
}

/** A longer id fits in no index. */
const LONGEST_ID = 600;

/** Statuses of a proxy in front of the upstream that lost the answer. */
const lostBehindProxy = new Set([502, 504, 520, 522, 524]);

export const acceptedVerdict: Verdict = {
  outcome: 'answered',
  usage: noUsage,
  usageSource: 'upstream',
  finishReason: undefined,
  code: 'ok',
  message: undefined,
};

/** Whether a task was accepted, refused, or possibly accepted. */
export function judgeAnswer(
  choice: ChannelChoice,
  operation: TaskOperation,
  { order, call }: { order: TaskOrder; call: ProviderCall },
  result: AttemptResult,
): JudgedAnswer {
  const { status, failure, requestStarted } = result;
  if (failure) return { verdict: unanswered(choice, result), isLost: requestStarted };
  const json = parseJson(result.body.toString('utf8'));
  let receipt: TaskReceipt | undefined;
  try {
    receipt = operation.receipt({ status, json, bytes: result.body }, order, call);
  } catch {
    // An answer that the adapter cannot read is none of its shapes; it was sent, so it may be a task.
  }
  // A receipt with an id that cannot be kept is no receipt; the task may exist all the same.
  if (receipt && receipt.kind !== 'refused' && !isId(receipt.upstreamId)) receipt = undefined;
  if (receipt?.kind === 'refused') return { verdict: refused(choice, receipt, status), receipt };
  const isSuccess = status >= 200 && status < 300;
  if (receipt && isSuccess) return { verdict: acceptedVerdict, receipt };
  if (isSuccess) {
    // Some vendors send errors with a success status.
    const error = readRefusal(choice, result, json, undefined);
    if (error) return { verdict: forCaller(choice, judgeErrorReply(error, result)) };
    return { verdict: unreadable(), isLost: true };
  }
  return { verdict: unanswered(choice, result), isLost: json === undefined && lostBehindProxy.has(status) };
}

const isId = (id: string): boolean => id.length <= LONGEST_ID && !id.includes('\0');

const unanswered = (choice: ChannelChoice, result: AttemptResult): Verdict =>
  forCaller(choice, judgeUnanswered(choice, result));

function forCaller(choice: ChannelChoice, verdict: Verdict): Verdict {
  if (verdict.refusal) verdict.refusal = refusalForCaller(choice, verdict.refusal);
  return verdict;
}

const unreadable = (): Verdict =>
  failedVerdict(
    'bad_reply',
    'the answer is not one of a task',
    new RelayError(502, 'The upstream sent an answer that is not one of a task.', {
      type: 'upstream_error',
      code: 'bad_upstream_reply',
    }),
  );

/** A result came with the answer, and was lost here. */
export const resultNotKept = (): Verdict =>
  failedVerdict(
    'result_not_kept',
    'the result could not be stored',
    new RelayError(502, 'The result could not be stored. Nothing was charged.', {
      type: 'server_error',
      code: 'result_not_stored',
    }),
  );

/** A full queue is the caller's to repeat, everything else is about the request. */
function refused(
  choice: ChannelChoice,
  { code, description, isBusy }: TaskReceipt & { kind: 'refused' },
  status: number,
): Verdict {
  const text = description || 'The upstream refused the task';
  const isOverloaded = code === 30 || status === 429;
  const refusal = new TaskRefusal(isOverloaded ? 429 : 400, endSentence(maskForCaller(choice, text)), code, {
    type: 'upstream_error',
    code: 'submit_failed',
  });
  return failedVerdict(isBusy ? 'upstream_busy' : 'upstream_refused', maskAndTrim(choice, text), refusal);
}
