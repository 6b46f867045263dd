/**
 * Google's batches for ordinary users. Their requests come with the order or in a file that was counted at its upload, and
 * their answers with the batch or in a file.
 */
import { isFinalTask } from '@relay-hub/contract';
import { isObject, type Json, objectOr, textOr } from '#json.ts';
import type { Deps } from '#deps.ts';
import type { AdmittedCaller } from '#relay/call/charged-call.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import { type CountedFile, MOST_COUNTED } from '#relay/objects/batch-file.ts';
import { fileNotFound } from '#relay/state/object-refusals.ts';
import { googlePath } from '#relay/objects/google-path.ts';
import { forUsers } from '#relay/pass-through/for-users.ts';
import type { PathAnswer, PathRow } from '#relay/types/path-row.ts';
import { endpointFor } from '#relay/routes/endpoints.ts';
import { badRequest, RelayError } from '#relay/reply/relay-error.ts';
import { decodeName, queryOf } from '#relay/body/url-query.ts';
import type { StatePlace } from '#relay/types/call-state.ts';
import { askVendor, polledTask, vendorCall } from '#tasks/ask-vendor.ts';
import { originOf } from '#tasks/origin-channel.ts';
import type { TaskRow } from '#tasks/task-rows.ts';
import { batchCall, type BatchView, type OrderedBatch } from './batch-call.ts';
import { BatchInput, MAX_REQUESTS } from './batch-input.ts';
import { answerCaller, answerTask, cancelBatch } from './own-batches.ts';

const PREFIX = '/gemini/batches';
const ACTION = 'GEMINI_BATCH';
const ASK_MS = 60_000;

/** The action that a batch's requests are for, by the one that creates it. */
const actions: Readonly<Record<string, string>> = {
  batchGenerateContent: 'generateContent',
  asyncBatchEmbedContent: 'embedContent',
};

const at = '/gemini/{version}/batches';

export const geminiBatchRows: readonly PathRow[] = [
  ...Object.keys(actions).map((kind): PathRow => ({
    path: `/gemini/{version}/models/{resource}:${kind}`,
    endpoint: PREFIX,
    answers: { POST: users((context, model) => create(context, decodeName(model), kind)) },
  })),
  { path: at, endpoint: PREFIX, answers: { GET: users((context) => list(context)) } },
  {
    path: `${at}/{name}`,
    endpoint: PREFIX,
    answers: {
      GET: users((context, id) => answerTask(context, id, ACTION, (task) => wholeBatch(context, task))),
      DELETE: users((context, id) => remove(context, id)),
    },
  },
  {
    path: `${at}/{name}:cancel`,
    endpoint: PREFIX,
    answers: { POST: users((context, id) => cancelBatch(context, id, ACTION, () => ({}))) },
  },
];

/** `part`: the one that the path names. */
function users(answer: (context: HttpContext, part: string) => Promise<void>): PathAnswer {
  const terms = (context: HttpContext) => ({ path: () => googlePath(context), dialect: 'gemini' }) as const;
  return forUsers({ prefix: PREFIX, dialect: 'gemini', terms }, (context, _, [part = '']) => answer(context, part));
}

const create = (context: HttpContext, model: string, kind: string): Promise<void> =>
  batchCall(context, {
    endpoint: PREFIX,
    dialect: 'gemini',
    action: ACTION,
    order: (admitted, body) => order(context.deps, admitted, body, { model, kind }),
    object: batchObject,
  });

async function order(
  deps: Deps,
  admitted: AdmittedCaller,
  json: Json,
  { model, kind }: { model: string; kind: string },
): Promise<OrderedBatch> {
  const batch = objectOr(json['batch']);
  const { displayName = batch['display_name'], inputConfig = batch['input_config'], priority } = batch;
  const config = objectOr(inputConfig);
  if (displayName != null && (typeof displayName !== 'string' || displayName.length > 400))
    throw badRequest(
      "'batch.displayName' is not valid: it must be a text of up to 400 characters.",
      'batch.displayName',
    );
  if (batch['webhookConfig'] != null || batch['webhook_config'] != null)
    throw badRequest("'batch.webhookConfig' is not supported.", 'batch.webhookConfig');
  const endpoint = endpointFor(`/gemini/v1beta/models/${encodeURIComponent(model)}:${actions[kind]}`, '');
  if (!endpoint) throw new Error('batches have no endpoint');
  const shown = { endpoint: endpoint.endpoint, model, displayName: displayName ?? '' };
  const more = { displayName: displayName ?? '', ...(priority != null && { priority }) };
  const { fileName = config['file_name'] } = config;
  if (fileName != null) {
    const file = await countedFile(deps, admitted.caller.userId, fileName, { model, kind });
    const input = new BatchInput(deps, { endpoint, admitted, place: file.place });
    input.addCounted(file.counted, endpoint.parse(exampleFor(kind)));
    return { ...ordered(input, kind), body: { ...more, inputConfig: { fileName: file.name } }, shown };
  }
  const { requests } = objectOr(config['requests']);
  const field = 'batch.inputConfig.requests.requests';
  if (!Array.isArray(requests) || requests.length === 0 || requests.length > MAX_REQUESTS)
    throw badRequest(`'${field}' is not valid: it must be a list of 1 to ${MAX_REQUESTS} requests.`, field);
  const input = new BatchInput(deps, { endpoint, admitted, place: undefined });
  for (const [index, item] of (requests as unknown[]).entries()) {
    const where = `${field}.${index}`;
    const { request, metadata } = objectOr(item);
    const named = isObject(request) ? textOr(request['model'], model).replace(/^models\//, '') : model;
    if (named !== model) throw badRequest(`'${where}.request.model' is not valid: it must be '${model}'.`, where);
    const { key } = objectOr(metadata);
    await input.add(where, key ?? `request ${index}`, request);
  }
  return { ...ordered(input, kind), body: { ...more, inputConfig: { requests: { requests } } }, shown };
}

function ordered(input: BatchInput, kind: string): Pick<OrderedBatch, 'need' | 'operation' | 'place' | 'kind'> {
  const need = input.need();
  const { channel, key } = need.choice;
  return {
    need,
    operation: channel.provider.batches!, // `BatchInput` takes no other channel
    place: { channelId: channel.id, keyId: key.id },
    kind,
  };
}

/** The smallest request of a kind, by which the channel of counted ones is chosen. */
const exampleFor = (kind: string): Json => {
  const content = { role: 'user', parts: [{ text: '-' }] };
  return actions[kind] === 'embedContent' ? { content } : { contents: [content] };
};

/** A file of the caller whose requests were counted when it was uploaded. Rejects with a 404 or a 400. */
async function countedFile(
  { db, now }: Deps,
  userId: number,
  fileName: unknown,
  { model, kind }: { model: string; kind: string },
): Promise<{ name: string; counted: CountedFile; place: StatePlace }> {
  const field = 'batch.inputConfig.fileName';
  const name = textOr(fileName, '');
  if (!/^files\/[\w.-]{1,128}$/.test(name))
    throw badRequest(`'${field}' is not valid: it must be as in files/ID.`, field);
  const rows = await db
    .selectFrom('upstream_objects')
    .where('object_id', '=', name)
    .where('kind', 'in', ['file', 'batch'])
    .where('user_id', '=', userId)
    .where('expires_at', '>', now())
    .select(['kind', 'data', 'channel_id', 'key_id'])
    .execute();
  const file = rows.find((row) => row.kind === 'file');
  if (!file) throw fileNotFound(name);
  const found = rows.find((row) => row.kind === 'batch');
  if (!found)
    throw badRequest(
      `The file '${name}' cannot be the input of a batch: it must have one {"key", "request"} per line with different ` +
        `keys, name no files or caches, and be uploaded in one piece of at most ${MOST_COUNTED / 1024 / 1024} MiB.`,
      field,
    );
  const counted = JSON.parse(found.data) as CountedFile; // written by `continueUpload`
  if (counted.action !== actions[kind])
    throw badRequest(`The requests of the file are for ${counted.action}, not for ${kind}.`, field);
  if (counted.model !== '' && counted.model !== model)
    throw badRequest(`The requests of the file are for the model '${counted.model}', not '${model}'.`, field);
  return { name, counted, place: { channelId: file.channel_id, keyId: file.key_id } };
}

/** A batch with its answers, which Google keeps. They exist once the batch is settled. */
async function wholeBatch({ deps }: HttpContext, task: TaskRow): Promise<Json> {
  if (task.status !== 'SUCCESS' && task.status !== 'CANCEL') return batchObject(task);
  const origin = await originOf(deps, task);
  if (!origin || task.upstream_id === '') return batchObject(task);
  const { operation } = origin;
  const access = { ...origin, model: task.upstream_model };
  try {
    const call = await vendorCall(deps, access);
    const limits = { timeoutMs: ASK_MS, maxBytes: operation.largestAnswer ?? 0 };
    const { status, json } = await askVendor(deps, access, call, operation.poll([polledTask(task)], call), limits);
    if (status !== 200 || !isObject(json)) throw new Error(`the vendor answered ${status}`);
    const { output } = objectOr(json['metadata']);
    const shown = batchObject(task);
    return {
      ...shown,
      metadata: { ...objectOr(shown['metadata']), ...(isObject(output) && { output }) },
      ...(isObject(json['response']) && { response: json['response'] }),
    };
  } catch (error) {
    deps.log.info({ err: error, task: task.task_id }, 'the answers of a batch were not sent');
    throw new RelayError(502, 'The provider did not send the answers of the batch. Try again.', {
      type: 'upstream_error',
      code: 'upstream_unreachable',
    });
  }
}

const MOST_LISTED = 100;

const list = (context: HttpContext): Promise<void> =>
  answerCaller(context, ACTION, async ({ userId }) => {
    const query = queryOf(context);
    const size = Number(query.get('pageSize') ?? 0);
    const before = Number(query.get('pageToken') ?? 0);
    if (!Number.isSafeInteger(size) || size < 0)
      throw badRequest("'pageSize' is not valid: it must be a whole number.", 'pageSize');
    if (!Number.isSafeInteger(before) || before < 0)
      throw badRequest("'pageToken' is not valid: it must be that of the page before.", 'pageToken');
    const limit = size === 0 ? MOST_LISTED : Math.min(size, MOST_LISTED);
    let rows = context.deps.db
      .selectFrom('tasks')
      .where('user_id', '=', userId)
      .where('platform', '=', 'batch')
      .where('action', '=', ACTION)
      .where('hidden_at', '=', 0);
    if (before > 0) rows = rows.where('id', '<', before);
    const found = await rows
      .selectAll()
      .orderBy('id', 'desc')
      .limit(limit + 1)
      .execute();
    const page = found.slice(0, limit);
    const next = found.length > limit ? page.at(-1)?.id : undefined;
    return { operations: page.map(batchObject), ...(next !== undefined && { nextPageToken: String(next) }) };
  });

const remove = (context: HttpContext, id: string): Promise<void> =>
  answerTask(context, id, ACTION, async (task) => {
    if (!isFinalTask(task.status)) throw badRequest('The batch is being processed. Cancel it first.');
    const { db, now } = context.deps;
    await db.updateTable('tasks').set({ hidden_at: now() }).where('id', '=', task.id).execute();
    return {};
  });

/** https://ai.google.dev/api/batch-api#GenerateContentBatch */
function batchObject({ task_id, status, data, request, created_at, finish_ms, fail_reason }: BatchView): Json {
  const name = `batches/${task_id}`;
  const isEnded = isFinalTask(status);
  const reported = objectOr(objectOr(data)['metadata']);
  const { requests } = request;
  const ended = isEnded ? timeOf(finish_ms) : undefined;
  const created = timeOf(created_at * 1000);
  const metadata: Json = {
    '@type': 'type.googleapis.com/google.ai.generativelanguage.v1main.GenerateContentBatch',
    batchStats: { requestCount: String(requests), pendingRequestCount: String(requests) },
    updateTime: ended ?? created,
    ...reported,
    name,
    model: `models/${String(request['model'])}`,
    displayName: request['displayName'],
    createTime: created,
    ...(ended !== undefined && { endTime: ended }),
    state:
      status === 'FAILURE'
        ? 'BATCH_STATE_FAILED'
        : (reported['state'] ?? (status === 'CANCEL' ? 'BATCH_STATE_CANCELLED' : 'BATCH_STATE_PENDING')),
  };
  return {
    name,
    metadata,
    ...(isEnded && { done: true }),
    // INTERNAL
    ...(status === 'FAILURE' && { error: { code: 13, message: fail_reason } }),
  };
}

const timeOf = (ms: number): string => new Date(ms).toISOString();
