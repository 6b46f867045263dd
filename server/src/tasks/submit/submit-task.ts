import { performance } from 'node:perf_hooks';
import type { Attempt } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import type { ProviderCall } from '#providers/operation.ts';
import { BadKey } from '#providers/signing/bad-key.ts';
import type { TaskOperation, TaskOrder } from '#providers/task-operation.ts';
import { BadTaskRequest } from '#providers/video-order.ts';
import type { Hold } from '#quota/book.ts';
import {
  attemptRecord,
  choiceWithRoom,
  countsAsRetry,
  noteTried,
  reportRefusal,
  reserveMore,
  whyNotRetried,
} from '#relay/call/attempts.ts';
import { endFailedRoom } from '#relay/call/channel-room.ts';
import { noteOutcome, noteProbe } from '#relay/call/note-health.ts';
import type { ChannelChoice, HttpContext, RelayCall } from '#relay/types/call-types.ts';
import { faultOf } from '#relay/outcome/fault.ts';
import { failedVerdict } from '#relay/outcome/verdict.ts';
import { RelayError } from '#relay/reply/relay-error.ts';
import { chooseNextChannel, newTried } from '#relay/select/choose-channel.ts';
import { aboutOf } from '#relay/upstream/address.ts';
import { type AttemptResult, unsentResult } from '#relay/types/attempt-result.ts';
import { send } from '#relay/upstream/send.ts';
import { polledTask, vendorCall, type VendorTarget, vendorTarget } from '#tasks/ask-vendor.ts';
import { invalidTask } from '#tasks/task-refusal.ts';
import { notifyPath } from '#tasks/notify-path.ts';
import { newTaskId } from '#tasks/task-rows.ts';
import { accepted, unitsOf } from './accepted-task.ts';
import { acceptedVerdict, type JudgedAnswer, judgeAnswer } from './judge-answer.ts';
import type { FinishedTask, OrderedTask, TaskSubmission } from './task-submission.ts';

/** A submission with its first channel. */
export interface SubmissionPlan {
  call: RelayCall;
  choice: ChannelChoice;
  ordered: OrderedTask;
}

/** An upstream that does not answer a submission in this time has lost it. */
const SUBMIT_MS = 60_000;

/**
 * Submits a task. Another channel is tried only while the upstream certainly has nothing: an answer that may have been
 * lost is charged, and the task is searched for.
 */
export async function submitTask(
  context: HttpContext,
  submission: TaskSubmission,
  first: SubmissionPlan,
  hold: Hold,
): Promise<FinishedTask> {
  const { deps } = context;
  const { call } = first;
  let { choice, ordered } = first;
  const attempts: Attempt[] = [];
  const tried = newTried();
  let made = 0;
  let last: FinishedTask | undefined;
  for (;;) {
    if (choice.channel.limits) {
      const next = () => {
        const other = chooseNextChannel(deps, call, tried);
        if (other) call.request.assumed = unitsOf(other);
        return other;
      };
      const roomy = await choiceWithRoom(
        deps,
        { call, choice, hold },
        { tried, next, caller: last ? undefined : context.response },
      );
      if (roomy instanceof RelayError)
        return (
          last ?? { choice, verdict: failedVerdict(roomy.code, roomy.message, roomy), attempts, firstMs: undefined }
        );
      choice = roomy;
    }
    const operation = choice.operation as TaskOperation; // a call of the operation `tasks` is offered no other
    const order = orderOf(context, submission, ordered);
    call.request.assumed = unitsOf(choice);
    if (choice.probe) noteProbe(deps, call, choice);
    const start = Math.round(performance.now() - call.startMs);
    const { result, vendor } = await sendOrder(context, call, { choice, operation, order });
    const judged = await withOwnId(deps, call, choice, judgeAnswer(choice, operation, { order, call: vendor }, result));
    const { verdict, receipt, isLost } = judged;
    const attempt = attemptRecord(choice, result, verdict, start);
    attempts.push(attempt);
    deps.meter.attempted(verdict.code, choice.channel.provider.type);
    const fault = verdict.outcome === 'failed' && !receipt ? faultOf(result, verdict) : undefined;
    if (fault) attempt.cause = fault.cause;
    if (isCurrent(deps, choice)) {
      noteOutcome(deps, call, choice, { result, verdict: receipt ? acceptedVerdict : verdict, fault });
      if (fault && !isLost) reportRefusal(deps, call, choice, { verdict, fault });
    }
    const firstMs = result.headMs === undefined ? undefined : start + result.headMs;
    const finished: FinishedTask = { choice, verdict, attempts, firstMs };
    last = finished;
    if (verdict.outcome === 'failed') endFailedRoom(deps, call, verdict, result);
    if (isLost || (receipt && receipt.kind !== 'refused'))
      return accepted(deps, submission, finished, { ...judged, ordered, order, userId: call.caller.userId });

    if (context.response.destroyed || context.shutdown.isStopping) return finished;
    const spentMs = performance.now() - call.startMs;
    if (fault && countsAsRetry(fault, choice, tried)) made++;
    const mayRetry = fault
      ? whyNotRetried(deps, call, fault, { made, spentMs }) === undefined
      : receipt?.kind === 'refused' && receipt.isBusy && call.pin === undefined;
    if (!mayRetry || ordered.parent || judged.isFinal) return finished;
    if (fault) noteTried(deps, tried, choice, fault);
    else tried.channels.add(choice.channel.id);
    let next = chooseNextChannel(deps, call, tried);
    if (!next && !fault && ordered.otherwise) {
      ordered = ordered.otherwise;
      call.request = { ...call.request, model: ordered.model };
      next = chooseNextChannel(deps, call, newTried());
    }
    attempt.next = next ? 'retried' : 'no_other_channel';
    if (next) call.request.assumed = unitsOf(next);
    // The dearer channel is not tried for a caller who cannot pay it; the failure remains.
    if (!next || (await reserveMore(deps, call, hold, next)) !== undefined) return finished;
    choice = next;
  }
}

/** A follow-up may use a key or an address that the channel no longer has: its failure says nothing about the channel. */
function isCurrent({ live }: Deps, { channel, key }: ChannelChoice): boolean {
  const current = live.routes.channel(channel.id);
  return current?.baseUrl === channel.baseUrl && current.keys.some((one) => one.key === key.key);
}

function orderOf({ deps }: HttpContext, { platform }: TaskSubmission, ordered: OrderedTask): TaskOrder {
  const { kind, action, mode, body, video, parent, confirms } = ordered;
  const ownId = confirms && parent ? parent.task_id : newTaskId(platform);
  return {
    platform,
    kind,
    action,
    mode,
    body,
    video,
    ownId,
    parentId: parent?.upstream_id ?? '',
    parent: parent && polledTask(parent),
    notifyUrl: notifyUrl(deps, ownId),
  };
}

/** Where the upstream may announce progress; empty: the operator does not want that, or has set no address. */
function notifyUrl({ live, config }: Deps, taskId: string): string {
  const { MjNotifyEnabled, ServerAddress } = live.settings;
  return MjNotifyEnabled && ServerAddress !== '' ? ServerAddress + notifyPath(config.secretKey, taskId) : '';
}

interface OutgoingOrder {
  choice: ChannelChoice;
  operation: TaskOperation;
  order: TaskOrder;
}

interface SentOrder {
  result: AttemptResult;
  vendor: ProviderCall;
}

async function sendOrder(
  { deps, response, shutdown }: HttpContext,
  { claim }: RelayCall,
  { choice, operation, order }: OutgoingOrder,
): Promise<SentOrder> {
  const { channel, key, upstreamModel: model } = choice;
  const access = { channel, key, model };
  const { timeouts } = channel;
  let vendor: ProviderCall | undefined;
  let target: VendorTarget;
  try {
    vendor = await vendorCall(deps, access);
    target = await vendorTarget(access, vendor, operation.submit(order, vendor));
  } catch (error) {
    if (error instanceof BadTaskRequest) throw invalidTask(error.message, error.param);
    return { result: notSent(error), vendor: vendor ?? { ...aboutOf(channel, model), key: key.key, stream: false } };
  }
  const { body, ...to } = target;
  const result = await send(deps.upstreams, {
    target: to,
    body: body ?? Buffer.from('{}'),
    // A caller who leaves has still submitted.
    limits: { timeouts: { ...timeouts, totalMs: timeouts.totalMs || SUBMIT_MS }, onGone: { policy: 'drain' } },
    sink: { response, stream: undefined, startStream: () => {}, claim },
    shutdown,
  });
  return { result, vendor };
}

/** Nothing was sent: the key cannot be used, or the vendor issued no token for it. */
const notSent = (error: unknown): AttemptResult =>
  unsentResult(
    error instanceof BadKey ? 'key_unusable' : 'connect_failed',
    error instanceof Error ? error.message : '',
  );

/** An upstream that repeats an id is not believed: the task would show another one's result. */
async function withOwnId(
  { db, log }: Deps,
  { caller }: RelayCall,
  { channel }: ChannelChoice,
  judged: JudgedAnswer,
): Promise<JudgedAnswer> {
  const { receipt } = judged;
  if (!receipt || receipt.kind === 'refused' || receipt.upstreamId === '') return judged;
  const known = await db
    .selectFrom('tasks')
    .where('channel_id', '=', channel.id)
    .where('upstream_id', '=', receipt.upstreamId)
    .select(['task_id', 'user_id', 'status'])
    .executeTakeFirst()
    .catch((error: unknown) => {
      // The upstream has accepted, so the call goes on; the row of a repeated id is refunded when it is written.
      log.warn({ err: error, channel: channel.id }, 'the id of a task could not be compared');
      return undefined;
    });
  const isOwn = known?.user_id === caller.userId;
  if (receipt.kind === 'existing' && isOwn) return { ...judged, receipt: { ...receipt, upstreamId: known.task_id } };
  if (receipt.kind === 'accepted' && (!known || (isOwn && known.status === 'MODAL'))) return judged;
  log.warn({ channel: channel.id }, 'an upstream answered with the id of another task');
  const refusal = new RelayError(502, 'The upstream answered with the id of another task.', {
    type: 'upstream_error',
    code: 'bad_upstream_reply',
  });
  return { verdict: failedVerdict('foreign_task', refusal.message, refusal), isFinal: true };
}
