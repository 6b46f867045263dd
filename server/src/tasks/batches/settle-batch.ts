import {
  completionTokens,
  creditsFor,
  inputTokens,
  noUsage,
  type PriceTerms,
  ratesOf,
  rulesFor,
  type Served,
  tokensFromCache,
  type Usage,
} from '@relay-hub/contract';
import { isObject, type Json, objectOr, parseJson } from '#json.ts';
import type { Deps } from '#deps.ts';
import { rememberObjects, UNTIL_DELETED_S, type UpstreamObject } from '#affinity/upstream-objects.ts';
import type { BatchOperation, BatchDocument } from '#providers/batch-operation.ts';
import { isHold } from '#quota/book.ts';
import { refundCharge, uncountRefund } from '#quota/refund-charge.ts';
import type { TaskOrigin } from '#tasks/origin-channel.ts';
import { updateLeased } from '#tasks/poll/due-tasks.ts';
import { tellTaskEnd } from '#tasks/end-task.ts';
import { finalStatuses, type TaskRow } from '#tasks/task-rows.ts';
import { chargeOthers, type PricedOther } from '#relay/call/other-models.ts';
import { eventsServed, type ServedReport } from '#usage/served.ts';
import { linesOf } from './json-lines.ts';
import { openDocument } from './open-document.ts';

/** Results of a batch. */
interface Delivered {
  answered: number;
  refused: number;
  usage: Usage;
  files: { result: BatchDocument; bytes: number }[];
}

/** Reading results takes longer than the lease of a poll. */
const READ_S = 600;
/** A batch of large replies. */
const MAX_RESULT_BYTES = 8 * 1024 ** 3;
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const BYTES_PER_TOKEN = 4;

/**
 * Ends a batch with what it delivered: its results become files of its owner, and the charge becomes what they cost.
 * Rejects if a result cannot be read; it is tried again at the next poll.
 */
export async function settleBatch(
  deps: Deps,
  task: TaskRow,
  { status, data }: { status: 'SUCCESS' | 'CANCEL'; data: Json },
  origin: TaskOrigin,
): Promise<void> {
  const operation = origin.operation as BatchOperation; // a task of the platform `batch` has no other
  await updateLeased(deps, [task], { next_poll_at: deps.now() + READ_S });
  const delivered = await readResults(deps, task, origin, operation.results(data));
  for (const line of operation.inline?.(data) ?? [])
    count(delivered, task, operation.readLine(line, String(task.request['endpoint'])), JSON.stringify(line));
  await keepFiles(deps, task, delivered.files);
  await settle(deps, task, { status, data: operation.kept?.(data) ?? data }, delivered);
}

/** Ends a response that was made in the background, and charges what it cost. */
export async function settleResponse(
  deps: Deps,
  task: TaskRow,
  { status, data }: { status: 'SUCCESS' | 'CANCEL'; data: Json },
  { operation }: TaskOrigin,
): Promise<void> {
  const { usage: reported, served, bytes } = data;
  const { input } = objectOr(task.request['usage']);
  // One that was cancelled may have no usage.
  const output = Math.ceil(Number(bytes) / BYTES_PER_TOKEN);
  const usage = operation.usage.read(reported) ?? { ...noUsage, input: Number(input), output, units: 1 };
  const delivered = { answered: 1, refused: 0, usage, files: [] };
  await settle(deps, task, { status, data: {} }, delivered, creditsServed(task.request, usage, objectOr(served)));
}

/** Credits for one response, by how it was served, or else as it was ordered. */
function creditsServed(request: TaskRow['request'], usage: Usage, report: ServedReport): number {
  const { group_ratio: ratio } = request;
  const terms = request['terms'] as PricedOther['price']; // written by `settleLater`
  const ordered = objectOr(request['ordered']) as Partial<Served> & { others?: PricedOther[] }; // likewise
  const served = {
    modes: report.modes ?? ordered.modes ?? [],
    region: report.region ?? ordered.region,
    at: ordered.at ?? 0,
  };
  const promptTokens = report.promptTokens ?? inputTokens(usage);
  const rules = rulesFor(terms.rules ?? [], { ...served, promptTokens, reasoning: usage.reasoning > 0 });
  const others = chargeOthers({
    ordered: ordered.others ?? [],
    report,
    groupRatio: Number(ratio),
    price: terms,
    served,
  });
  const own = creditsFor(ratesOf(terms, Number(ratio), rules), usage, { ...eventsServed(report), request: 1 });
  return own + others.credits;
}

async function settle(
  deps: Deps,
  task: TaskRow,
  { status, data }: { status: 'SUCCESS' | 'CANCEL'; data: Json },
  delivered: Delivered,
  cost = creditsDelivered(task, delivered),
): Promise<void> {
  const settled = Math.min(cost, task.quota);
  const ended = await end(deps, task, { status, data, settled, facts: factsOf(delivered, cost) });
  if (ended && cost > task.quota) await chargeMore(deps, task, delivered, cost - task.quota);
}

function creditsDelivered({ request: { terms, group_ratio: ratio } }: TaskRow, { answered, usage }: Delivered): number {
  // Written by `batchCall`.
  return answered === 0 ? 0 : creditsFor(ratesOf(terms as PriceTerms, Number(ratio)), usage);
}

async function readResults(
  deps: Deps,
  task: TaskRow,
  origin: TaskOrigin,
  results: readonly BatchDocument[],
): Promise<Delivered> {
  const operation = origin.operation as BatchOperation; // as above
  const delivered: Delivered = { answered: 0, refused: 0, usage: { ...noUsage }, files: [] };
  const signal = AbortSignal.timeout(READ_S * 1000);
  const access = { ...origin, model: task.upstream_model };
  for (const result of results) {
    const body = await openDocument(deps, access, result.path, signal);
    let bytes = 0;
    for await (const line of linesOf(body, { maxBytes: MAX_RESULT_BYTES, maxLine: MAX_LINE_BYTES })) {
      bytes += line.length;
      const json = parseJson(line);
      if (!isObject(json)) throw new Error('a result of a batch has a line that is no JSON');
      count(delivered, task, operation.readLine(json, String(task.request['endpoint'])), line);
    }
    if (result.fileId !== '') delivered.files.push({ result, bytes });
  }
  return delivered;
}

function count(
  delivered: Delivered,
  { request }: TaskRow,
  { isAnswered, usage }: ReturnType<BatchOperation['readLine']>,
  line: string,
): void {
  if (!isAnswered) {
    delivered.refused++;
    return;
  }
  delivered.answered++;
  const found = usage ?? assumed(request, line);
  for (const kind of Object.keys(noUsage) as (keyof Usage)[]) delivered.usage[kind] += found[kind];
  delivered.usage.units = delivered.answered;
}

/** Moderations, and replies without usage: the estimate of the input, and of an output as long as the reply. */
function assumed({ usage, requests }: TaskRow['request'], line: string): Usage {
  const reserved = objectOr(usage);
  const input = Math.ceil(Number(reserved['input']) / Math.max(1, Number(requests)));
  const output = reserved['output'] === 0 ? 0 : Math.ceil(line.length / BYTES_PER_TOKEN);
  return { ...noUsage, input, output };
}

/** Members of all result files in OpenAI's form. */
const ofOutput = { purpose: 'batch_output', status: 'processed', dialect: 'openai' };

async function keepFiles(deps: Deps, task: TaskRow, files: Delivered['files']): Promise<void> {
  const now = deps.now();
  const owner = { userId: task.user_id, tokenId: task.token_id };
  const objects = files.map(({ result: { fileId: id, filename }, bytes }): UpstreamObject => {
    const shown = id.startsWith('files/')
      ? { name: id, displayName: filename, sizeBytes: String(bytes), state: 'ACTIVE', dialect: 'gemini' }
      : { id, object: 'file', bytes, created_at: now, filename, ...ofOutput };
    const data = JSON.stringify(shown);
    return { kind: 'file', id, channelId: task.channel_id, keyId: task.key_id, parentId: '', tokens: 0, data };
  });
  if (objects.length > 0) await rememberObjects(deps.db, owner, objects, { now, until: now + UNTIL_DELETED_S });
}

const factsOf = ({ answered, refused, usage }: Delivered, credits: number) => ({
  answered,
  refused,
  input_tokens: inputTokens(usage),
  output_tokens: completionTokens(usage),
  cached_tokens: tokensFromCache(usage),
  credits,
});

interface BatchEnd {
  status: 'SUCCESS' | 'CANCEL';
  data: Json;
  /** Credits of the charge that are kept. */
  settled: number;
  facts: ReturnType<typeof factsOf>;
}

/** Ends the task and returns the rest of its charge, in one transaction. False: it had ended. */
function end(deps: Deps, { id }: TaskRow, { status, data, settled, facts }: BatchEnd): Promise<boolean> {
  const now = deps.now();
  return deps.db.transaction().execute(async (trx) => {
    const task = await trx
      .updateTable('tasks')
      .set({
        status,
        data: JSON.stringify(data),
        progress: 100,
        finish_ms: now * 1000,
        settled_quota: settled,
        next_poll_at: 0,
        updated_at: now,
      })
      .where('id', '=', id)
      .where('status', 'not in', finalStatuses) // the guard: only one of racing nodes ends it
      .returning(['task_id', 'user_id', 'token_id', 'quota', 'token_quota', 'request_id', 'platform'])
      .executeTakeFirst();
    if (!task) return false;
    await tellTaskEnd(trx, { ...task, status, credits: settled, now });
    const credits = task.quota - settled;
    if (credits > 0)
      await refundCharge(trx, {
        userId: task.user_id,
        tokenId: task.token_id,
        credits,
        // The retained charge is taken from the token's quota first.
        fromToken: Math.max(0, task.token_quota - settled),
        reference: `task:${task.task_id}`,
        remark: `${facts.answered} answered.`,
        now,
      });
    const row = await trx
      .selectFrom('logs')
      .where('request_id', '=', task.request_id)
      .select(['id', 'content', 'metadata'])
      .executeTakeFirst();
    // Old rows may have been deleted; the ledger keeps both entries.
    if (!row) return true;
    await uncountRefund(trx, { tokenId: task.token_id, credits }, row.metadata?.limits ?? []);
    const metadata = { ...row.metadata, ...(credits > 0 && { task_refund: credits }), batch: facts };
    const counts = task.platform === 'batch' ? `${facts.answered} answered, ${facts.refused} refused; ` : '';
    const content = `${row.content}: ${counts}${facts.input_tokens} input and ${facts.output_tokens} output tokens, ${facts.credits} credits`;
    await trx
      .updateTable('logs')
      .set({ content, metadata: JSON.stringify(metadata) })
      .where('id', '=', row.id)
      .execute();
    return true;
  });
}

/** Charges the cost of a batch beyond its reservation, in a separate log row. */
async function chargeMore({ db, book, now, log }: Deps, task: TaskRow, delivered: Delivered, credits: number) {
  const { request_id, user_id: userId, token_id: tokenId, task_id, model } = task;
  const row = await db
    .selectFrom('logs')
    .where('request_id', '=', request_id)
    .select(['username', 'token_name', 'metadata'])
    .executeTakeFirst();
  const token = await db.selectFrom('tokens').where('id', '=', tokenId).select('unlimited_quota').executeTakeFirst();
  const requestId = `${request_id}-batch`;
  const limited = token?.unlimited_quota === false;
  const hold = await book.reserve({ requestId, userId, tokenId, limited, reserved: 0, priceVersion: 0, model });
  // Nothing is reserved, so no balance is insufficient.
  if (!isHold(hold)) return log.error({ task: task_id, credits }, 'the rest of a batch was not charged');
  const { group_name, endpoint } = row?.metadata ?? {};
  await book.settle(hold, {
    requestId,
    channelId: task.channel_id,
    credits,
    now: now(),
    failed: false,
    channelError: '',
    earlierErrors: undefined,
    log: {
      content: `Task ${task_id}: tokens beyond the reservation`,
      username: row?.username ?? '',
      tokenName: row?.token_name ?? '',
      model,
      promptTokens: 0,
      completionTokens: 0,
      cachedTokens: 0,
      requestTimeMs: 0,
      isStream: false,
      sourceIp: '',
      metadata: JSON.stringify({
        group_name,
        endpoint,
        outcome: 'answered',
        task_id,
        batch: factsOf(delivered, credits + task.quota),
      }),
    },
  });
}
