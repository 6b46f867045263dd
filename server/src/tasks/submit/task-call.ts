import { newRelayCall } from '#relay/call/new-relay-call.ts';
import { bareRequest } from '#relay/types/parsed-request.ts';
import { Buffer } from 'node:buffer';
import { noUsage } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import type { BodyClaim } from '#http/limits/body-memory.ts';
import type { Hold } from '#quota/book.ts';
import { type AdmittedCaller, type CallPlan, chargedCall, type ChargedWork } from '#relay/call/charged-call.ts';
import type { ChannelChoice, HttpContext, RelayCall } from '#relay/types/call-types.ts';
import type { Rate } from '#http/limits/minute-rates.ts';
import type { BodyIntake } from '#relay/body/read-body.ts';
import { checkBalance } from '#relay/admission/unpaid-body.ts';
import { callHeaders } from '#relay/reply/headers.ts';
import { RelayError } from '#relay/reply/relay-error.ts';
import { namesAt } from '#relay/select/channel-offer.ts';
import { priceOfTask } from '#relay/select/task-price.ts';
import { chooseByStep } from '#relay/call/plan-attempt.ts';
import { chooseChannel, nothingTried } from '#relay/select/choose-channel.ts';
import { originOf } from '#tasks/origin-channel.ts';
import { invalidTask, originGone } from '#tasks/task-refusal.ts';
import type { TaskRow } from '#tasks/task-rows.ts';
import { submitTask } from './submit-task.ts';
import { readTaskBody } from './read-task-body.ts';
import {
  checkRepeated,
  identityOf,
  RepeatedSubmission,
  type SubmissionIdentity,
  WatchedSubmission,
} from './repeated-submission.ts';
import type { FinishedTask, OrderedTask, Submitted, TaskSubmission } from './task-submission.ts';

/** Submits a task, from its request to its charge. Rejects with a `RelayError` for a refused request. */
export async function taskCall(context: HttpContext, submission: TaskSubmission): Promise<void> {
  const call = new TaskCall(context, submission);
  try {
    await chargedCall(context, call);
  } catch (error) {
    if (!(error instanceof RepeatedSubmission)) throw error;
    await call.answerRepeat(error.taskId);
  }
}

interface TaskCallPlan extends CallPlan {
  ordered: OrderedTask;
}

class TaskCall implements ChargedWork<TaskCallPlan, FinishedTask> {
  readonly dialect: RelayCall['dialect'];
  readonly #context: HttpContext;
  readonly #submission: TaskSubmission;
  #claim: BodyClaim | undefined;
  #identity: SubmissionIdentity | undefined;
  #watch: WatchedSubmission | undefined;
  #rate: Rate | undefined;

  constructor(context: HttpContext, submission: TaskSubmission) {
    this.#context = context;
    this.#submission = submission;
    this.dialect = submission.dialect ?? 'openai';
  }

  async plan(admitted: AdmittedCaller): Promise<TaskCallPlan> {
    const { deps, trace } = this.#context;
    this.#rate = admitted.rate;
    const claim = (this.#claim = deps.bodies.claim(admitted.caller.userId));
    const { endpoint, forms = false, repeats = false, dialect } = this.#submission;
    const intake: BodyIntake = {
      claim,
      whenLarge: () => checkBalance(deps, admitted, { operation: 'tasks', dialect: 'openai' }, () => undefined),
    };
    const body = await readTaskBody(this.#context, intake, { forms, kind: dialect === 'gemini' ? 'google' : 'task' });
    const ordered = await this.#submission.order(admitted.caller, body);
    const { listedAs } = ordered;
    if (listedAs !== undefined && deps.live.routes.serves(admitted.group.symbol, listedAs)) ordered.model = listedAs;
    trace.model = ordered.model;
    if (repeats) {
      this.#identity = identityOf(this.#context, admitted.caller.tokenId, endpoint, body);
      await checkRepeated(this.#context, this.#identity);
      this.#watch = new WatchedSubmission(this.#context, this.#identity);
      ordered.watch = this.#watch;
    }
    const call = this.#call(admitted, ordered);
    const choice = await this.#choose(call, ordered);
    call.request.assumed = { ...noUsage, units: choice.units ?? 1 };
    return { call, choice, ordered };
  }

  #call(admitted: AdmittedCaller, ordered: OrderedTask): RelayCall {
    const { endpoint, platform } = this.#submission;
    return newRelayCall(this.#context, admitted, {
      operation: 'tasks',
      // Adapters of tasks serve all dialects and are declared as this one.
      dialect: 'openai',
      request: bareRequest(ordered.model, { task: { order: { ...ordered, platform } } }),
      endpoint,
      claim: this.#claim,
    });
  }

  async #choose(call: RelayCall, ordered: OrderedTask): Promise<ChannelChoice> {
    const { deps, request } = this.#context;
    const { platform } = this.#submission;
    if (ordered.parent) return choiceAtOrigin(deps, call, ordered.parent);
    try {
      return chooseByStep(deps, call, request.headers, () => {
        if (call.chain) {
          ordered.model = call.request.model;
          call.request.task = { order: { ...ordered, platform } };
        }
        return chooseChannel(deps, call, nothingTried);
      });
    } catch (error) {
      const unfit = call.request.task?.unfit;
      throw unfit ? invalidTask(unfit.message, unfit.param) : error;
    }
  }

  run(plan: TaskCallPlan, hold: Hold): Promise<FinishedTask> {
    return submitTask(this.#context, this.#submission, plan, hold);
  }

  async finish(_: TaskCallPlan, { verdict, submitted }: FinishedTask): Promise<void> {
    const { deps, response } = this.#context;
    const { refusal } = verdict;
    // The caller asks for the task at once, perhaps at another node.
    if (submitted) await deps.book.caughtUp();
    await this.#watch?.ended(submitted?.taskId ?? '');
    this.#watch = undefined;
    if (response.destroyed) return;
    if (!submitted)
      throw refusal ?? new RelayError(502, 'The upstream failed.', { type: 'upstream_error', code: 'submit_failed' });
    await this.#reply(submitted);
  }

  /** Answers with the task of an earlier submission, at no charge. */
  async answerRepeat(taskId: string): Promise<void> {
    const watch = this.#identity && new WatchedSubmission(this.#context, this.#identity);
    await watch?.ended(taskId);
    await this.#reply({ taskId, receipt: undefined });
  }

  async #reply(submitted: Submitted): Promise<void> {
    const { response, requestId } = this.#context;
    const body = Buffer.from(JSON.stringify(await this.#submission.reply(submitted)));
    if (response.destroyed) return;
    response.writeHead(200, {
      ...callHeaders(requestId, this.#rate),
      'content-type': 'application/json',
      'content-length': body.length,
    });
    response.end(body);
  }

  async release(): Promise<void> {
    this.#claim?.release();
    // A submission that was refused before it was sent.
    await this.#watch?.ended('');
  }
}

/** A follow-up goes to the channel and key of the original task. Throws a 503 if that channel was deleted. */
async function choiceAtOrigin(deps: Deps, { group, request }: RelayCall, parent: TaskRow): Promise<ChannelChoice> {
  const origin = await originOf(deps, parent);
  if (!origin || origin.isDeleted) throw originGone();
  const { channel, key, operation } = origin;
  const { upstream, billed } = namesAt(channel, request.model);
  const offer = { channel, operation, upstreamModel: upstream, billedModel: billed };
  const task = request.task!; // set for every task
  const priced = priceOfTask(deps.live.prices, offer, task);
  if (priced === 'unfit') throw invalidTask(task.unfit?.message ?? '', task.unfit?.param);
  if (!priced)
    throw new RelayError(400, `The model '${billed}' has no price yet, so it cannot be called.`, {
      type: 'invalid_request_error',
      code: 'model_not_priced',
      param: 'model',
    });
  const { price, name, units, seconds } = priced;
  return { ...offer, billedModel: name, key, price, rates: price.ratesFor(group.ratio), units, seconds };
}
