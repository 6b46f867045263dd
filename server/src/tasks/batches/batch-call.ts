import { newRelayCall } from '#relay/call/new-relay-call.ts';
import { bareRequest } from '#relay/types/parsed-request.ts';
import type { Deps } from '#deps.ts';
import { objectOr, parseJson, type Json } from '#json.ts';
import type { BodyClaim } from '#http/limits/body-memory.ts';
import type { Rate } from '#http/limits/minute-rates.ts';
import type { BookedPrice } from '#live/price-book.ts';
import type { BatchOperation } from '#providers/batch-operation.ts';
import type { Hold } from '#quota/book.ts';
import { type AdmittedCaller, type CallPlan, chargedCall, type ChargedWork } from '#relay/call/charged-call.ts';
import type { HttpContext, RelayCall } from '#relay/types/call-types.ts';
import { checkBalance } from '#relay/admission/unpaid-body.ts';
import { RelayError } from '#relay/reply/relay-error.ts';
import { sendJson } from '#relay/reply/send-json.ts';
import type { StatePlace } from '#relay/types/call-state.ts';
import { submitTask } from '#tasks/submit/submit-task.ts';
import { readTaskBody } from '#tasks/submit/read-task-body.ts';
import type { FinishedTask, OrderedTask, TaskSubmission } from '#tasks/submit/task-submission.ts';
import { finalStatuses, type TaskRow } from '#tasks/task-rows.ts';
import type { BatchNeed } from './batch-input.ts';
import { batchPrice } from './batch-price.ts';

/** A checked request for a batch. */
export interface OrderedBatch {
  need: BatchNeed;
  operation: BatchOperation;
  place: StatePlace | undefined;
  /** Left out: the price of the model in batches. */
  price?: BookedPrice;
  /** The last part of the vendor's path, where it has several; left out: `batch`. */
  kind?: string;
  /** Sent upstream. */
  body: Json;
  /** Kept with the task. */
  shown: Json;
}

/** How a dialect submits batches. */
export interface BatchDialect {
  /** The path in logs and metrics. */
  endpoint: string;
  dialect: RelayCall['dialect'];
  action: string;
  /** For the log row; left out: the number of requests. */
  content?: string;
  /** Reads a request. Rejects with a `RelayError` for one that is refused. */
  order(admitted: AdmittedCaller, body: Json): Promise<OrderedBatch>;
  object(task: BatchView): Json;
}

/** The members of a task that callers see. */
export type BatchView = Pick<
  TaskRow,
  'task_id' | 'status' | 'data' | 'request' | 'created_at' | 'finish_ms' | 'fail_reason'
>;

/** Submits a batch, from its request to its charge: what its requests may need, returned in part when it ends. */
export const batchCall = (context: HttpContext, dialect: BatchDialect): Promise<void> =>
  chargedCall(context, new BatchCall(context, dialect));

interface BatchPlan extends CallPlan {
  ordered: OrderedTask;
}

/** Limit of unfinished batches of a user. */
const MAX_OPEN = 50;

class BatchCall implements ChargedWork<BatchPlan, FinishedTask> {
  readonly dialect: RelayCall['dialect'];
  readonly #context: HttpContext;
  readonly #batches: BatchDialect;
  #claim: BodyClaim | undefined;
  #rate: Rate | undefined;

  constructor(context: HttpContext, batches: BatchDialect) {
    this.#context = context;
    this.#batches = batches;
    this.dialect = batches.dialect;
  }

  async plan(admitted: AdmittedCaller): Promise<BatchPlan> {
    const { deps, trace } = this.#context;
    this.#rate = admitted.rate;
    const claim = (this.#claim = deps.bodies.claim(admitted.caller.userId));
    const announced = { operation: 'tasks', dialect: 'openai' } as const;
    const pay = () => checkBalance(deps, admitted, announced, () => undefined);
    const body = await readTaskBody(
      this.#context,
      { claim, whenLarge: pay },
      {
        kind: this.#batches.dialect === 'gemini' ? 'google' : 'call',
      },
    );
    await checkOpen(deps, admitted.caller.userId);
    // Reading the requests is expensive, so an empty balance is refused first.
    await pay();
    const { need, operation, place, price: own, kind = 'batch', ...order } = await this.#batches.order(admitted, body);
    const { model, choice, usage } = need;
    trace.model = model;
    const { group } = admitted;
    const price = own ?? batchPrice(deps.live.prices, choice.billedModel, choice.price);
    const { type, input, output, extra_ratios } = price;
    const terms = { type, input, output, extra_ratios };
    const ordered: OrderedTask = {
      kind,
      action: this.#batches.action,
      mode: '',
      model,
      body: order.body,
      prompt: '',
      state: '',
      notifyHook: '',
      shown: { ...order.shown, requests: need.requests, usage, terms, group_ratio: group.ratio },
    };
    const call = this.#call(admitted, need, place);
    return {
      call,
      choice: { ...choice, operation, price, rates: price.ratesFor(group.ratio), ordered: usage },
      ordered,
    };
  }

  #call(admitted: AdmittedCaller, { model, usage }: BatchNeed, place: StatePlace | undefined): RelayCall {
    return newRelayCall(
      this.#context,
      { ...admitted, pin: undefined },
      {
        operation: 'tasks',
        dialect: 'openai',
        request: bareRequest(model, { inputTokens: usage.input, outputLimit: usage.output, assumed: usage }),
        endpoint: this.#batches.endpoint,
        claim: this.#claim,
        place,
      },
    );
  }

  async run(plan: BatchPlan, hold: Hold): Promise<FinishedTask> {
    const { endpoint } = this.#batches;
    const submission: TaskSubmission = {
      endpoint,
      platform: 'batch',
      order: () => plan.ordered,
      // `finish` replies.
      reply: () => ({}),
    };
    const finished = await submitTask(this.#context, submission, plan, hold);
    const { requests } = objectOr(plan.ordered.shown);
    const { content = `Batch of ${String(requests)} requests` } = this.#batches;
    return { ...finished, ...(finished.submitted && { content }) };
  }

  async finish(_: BatchPlan, { verdict, submitted, task }: FinishedTask): Promise<void> {
    const { deps, response, requestId } = this.#context;
    // The caller asks for the batch at once, perhaps at another node.
    if (submitted) await deps.book.caughtUp();
    if (response.destroyed) return;
    if (!submitted || !task)
      throw (
        verdict.refusal ??
        new RelayError(502, 'The upstream failed.', { type: 'upstream_error', code: 'submit_failed' })
      );
    // A slow database may not have the row yet.
    const view: BatchView = {
      task_id: task.taskId,
      status: 'SUBMITTED',
      data: null,
      request: objectOr(parseJson(task.request)),
      created_at: deps.now(),
      finish_ms: 0,
      fail_reason: '',
    };
    sendJson(response, requestId, this.#batches.object(view), this.#rate);
  }

  release(): void {
    this.#claim?.release();
  }
}

async function checkOpen({ db }: Deps, userId: number): Promise<void> {
  const { count } = await db
    .selectFrom('tasks')
    .where('user_id', '=', userId)
    .where('platform', '=', 'batch')
    .where('status', 'not in', finalStatuses)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  if (count < MAX_OPEN) return;
  throw new RelayError(429, `You have ${MAX_OPEN} unfinished batches, the most that are allowed.`, {
    type: 'rate_limit_error',
    code: 'too_many_batches',
  });
}
