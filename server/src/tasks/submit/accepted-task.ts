import { noUsage, type PriceTerms, ratesOf, type Usage } from '@relay-hub/contract';
import type { StoredTaskMedia } from '#db/tables/tasks.ts';
import type { Deps } from '#deps.ts';
import type { BookedPrice } from '#live/price-book.ts';
import type { ReportedMedia, TaskOperation, TaskOrder } from '#providers/task-operation.ts';
import type { SubmittedTask } from '#quota/submitted-task.ts';
import type { ChannelChoice } from '#relay/types/call-types.ts';
import { mediaKeeper } from '#tasks/media/media-hook.ts';
import { plainText } from '#tasks/task-rows.ts';
import { FIND_S, LOST_S, nextPollAt } from '#tasks/task-schedule.ts';
import { acceptedVerdict, type JudgedAnswer, resultNotKept } from './judge-answer.ts';
import type { FinishedTask, OrderedTask, TaskSubmission } from './task-submission.ts';

interface AcceptedAnswer extends JudgedAnswer {
  ordered: OrderedTask;
  order: TaskOrder;
  userId: number;
}

/** The usage that a task is reserved and charged for. */
export const unitsOf = ({ units = 1, ordered = { ...noUsage, units } }: ChannelChoice): Usage => ordered;

/**
 * The charge and the row of a task that is, or may be, accepted. A result that came at once and cannot be kept is a
 * failure without a charge.
 */
export async function accepted(
  deps: Deps,
  { platform }: TaskSubmission,
  finished: FinishedTask,
  { receipt, ordered, order, userId }: AcceptedAnswer,
): Promise<FinishedTask> {
  const { channel, key, seconds } = finished.choice;
  const { bodyHash: body_hash, requestKey } = ordered.watch ?? {};
  if (receipt?.kind === 'refused') return finished;
  if (receipt?.kind === 'existing')
    return {
      ...finished,
      choice: freeOfCharge(finished.choice),
      submitted: { taskId: receipt.upstreamId, receipt },
    };
  const operation = finished.choice.operation as TaskOperation; // a call of the operation `tasks` is offered no other
  const now = deps.now();
  const submitMs = Date.now();
  const lostS = operation.find ? FIND_S : LOST_S;
  const wholeS = wholeDeadlineS(deps, operation, order);
  const deadline = now + (receipt ? wholeS : lostS);
  const { media: reported = [], result } = receipt ?? {};
  // A success that can be asked for and has nothing to show yet.
  const isEarly = receipt?.status === 'SUCCESS' && receipt.upstreamId !== '' && reported.length === 0 && !result;
  const status = isEarly ? 'IN_PROGRESS' : (receipt?.status ?? 'UNKNOWN');
  let media: StoredTaskMedia[] = [];
  try {
    if (status === 'SUCCESS') media = await kept(deps, finished, { order, operation, userId, reported });
  } catch (error) {
    deps.log.warn({ err: error, channel: channel.id }, 'the result of a task could not be kept');
    return { ...finished, verdict: resultNotKept() };
  }
  const polled = nextPollAt({ submit_ms: submitMs, channel_id: channel.id, deadline }, now);
  const isConfirmed = ordered.confirms === true;
  const task: SubmittedTask = {
    taskId: order.ownId,
    confirms: isConfirmed,
    platform,
    action: ordered.action,
    mode: ordered.mode,
    code: receipt?.code ?? 0,
    // The row of a confirmed task has its id already, so it is polled as usual.
    status: isConfirmed ? 'SUBMITTED' : status,
    progress: status === 'SUCCESS' ? 100 : 0,
    submitMs,
    prompt: plainText(ordered.prompt),
    description: plainText(receipt?.description ?? ''),
    state: plainText(ordered.state),
    properties: JSON.stringify({}),
    keyId: key.id,
    channelType: channel.provider.type,
    baseUrl: channel.baseUrl,
    upstreamId: receipt?.upstreamId ?? '',
    upstreamModel: finished.choice.upstreamModel,
    vendor: JSON.stringify((receipt ? receipt.vendor : traitsOf(deps, operation, order)) ?? {}),
    media: JSON.stringify(media),
    // A length that is not given stays what the caller said.
    request: JSON.stringify({ ...ordered.shown, seconds: seconds ?? ordered.shown?.['seconds'], body_hash }),
    requestKey: requestKey ?? '',
    parentTaskId: ordered.parent && !isConfirmed ? ordered.parent.task_id : '',
    notifyHook: plainText(ordered.notifyHook),
    nextPollAt: status === 'SUCCESS' ? 0 : status === 'MODAL' ? deadline : polled,
    deadline: isConfirmed ? now + wholeS : deadline,
    cancellable: operation.cancel !== undefined,
  };
  return {
    ...finished,
    verdict: {
      ...acceptedVerdict,
      usage: unitsOf(finished.choice),
      usageSource: finished.choice.ordered ? 'estimate' : 'upstream',
    },
    // A task that waits for confirmation is charged then.
    choice: status === 'MODAL' ? freeOfCharge(finished.choice) : finished.choice,
    task,
    submitted: { taskId: order.ownId, receipt },
  };
}

/** The upstream has the task by now, so an adapter that fails here must not lose it. */
function wholeDeadlineS({ log }: Deps, operation: TaskOperation, order: TaskOrder): number {
  try {
    return operation.longDeadlineS?.(order) ?? operation.deadlineS;
  } catch (error) {
    log.warn({ err: error }, 'a deadline could not be computed');
    return operation.deadlineS;
  }
}

/** Traits of an order by which polls find its task if the answer was lost. */
function traitsOf({ log }: Deps, operation: TaskOperation, order: TaskOrder) {
  try {
    return operation.traits?.(order);
  } catch (error) {
    log.warn({ err: error }, 'the traits of a task could not be read');
    return undefined;
  }
}

interface ImmediateResult {
  order: TaskOrder;
  operation: TaskOperation;
  userId: number;
  reported: readonly ReportedMedia[];
}

/** The row does not exist yet, so its id is 0. */
function kept(
  deps: Deps,
  { choice: { channel, key } }: FinishedTask,
  { order, operation, userId, reported }: ImmediateResult,
): Promise<StoredTaskMedia[]> {
  const task = { id: 0, task_id: order.ownId, user_id: userId };
  return mediaKeeper(deps)(task, reported, { channel, key, operation, isDeleted: false });
}

/** The same channel at no charge. */
function freeOfCharge(choice: ChannelChoice): ChannelChoice {
  const terms = { type: 'times', input: 0, output: 0 } as const satisfies PriceTerms;
  const price: BookedPrice = {
    ...choice.price,
    ...terms,
    rules: [],
    fees: [],
    ratesFor: (ratio) => ratesOf(terms, ratio),
  };
  return { ...choice, price, rates: ratesOf(terms, 1) };
}
