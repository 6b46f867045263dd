/** OpenAI's Batch API for ordinary users: a batch goes to the account that keeps its input file. */
import { keptAt, noLongerKept } from '#relay/state/object-refusals.ts';
import { isObject, type Json, objectOr, textOr } from '#json.ts';
import type { Deps } from '#deps.ts';
import type { AdmittedCaller } from '#relay/call/charged-call.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import { placeOfFile } from '#relay/objects/files.ts';
import { forUsers } from '#relay/pass-through/for-users.ts';
import type { PathAnswer, PathRow } from '#relay/types/path-row.ts';
import { endpointFor } from '#relay/routes/endpoints.ts';
import { badRequest, RelayError } from '#relay/reply/relay-error.ts';
import type { VendorAccess } from '#tasks/ask-vendor.ts';
import { batchCall, type BatchDialect, type BatchView, type OrderedBatch } from './batch-call.ts';
import { BatchInput, readLine } from './batch-input.ts';
import { answerPage, answerTask, cancelBatch } from './own-batches.ts';
import { readInput } from './read-input.ts';

const PREFIX = '/v1/batches';
const ACTION = 'OPENAI_BATCH';

export const openAiBatchRows: readonly PathRow[] = [
  {
    path: PREFIX,
    endpoint: PREFIX,
    answers: {
      POST: users((context) => create(context)),
      GET: users((context) => answerPage(context, ACTION, batchObject)),
    },
  },
  {
    path: `${PREFIX}/{name}`,
    endpoint: `${PREFIX}/:id`,
    answers: { GET: users((context, id) => answerTask(context, id, ACTION, batchObject)) },
  },
  {
    path: `${PREFIX}/{name}/cancel`,
    endpoint: `${PREFIX}/:id/cancel`,
    answers: { POST: users((context, id) => cancelBatch(context, id, ACTION, batchObject)) },
  },
];

function users(answer: (context: HttpContext, id: string) => Promise<void>): PathAnswer {
  return forUsers({ prefix: PREFIX }, (context, _, [id = '']) => answer(context, id));
}

const create = (context: HttpContext): Promise<void> =>
  batchCall(context, { ...openAi, order: (admitted, body) => order(context.deps, admitted, body) });

const openAi: Omit<BatchDialect, 'order'> = {
  endpoint: PREFIX,
  dialect: 'openai',
  action: ACTION,
  object: batchObject,
};

async function order(deps: Deps, admitted: AdmittedCaller, json: Json): Promise<OrderedBatch> {
  const { input_file_id: fileId, endpoint: path, completion_window: window, metadata, output_expires_after } = json;
  if (typeof fileId !== 'string' || fileId === '') throw badRequest("'input_file_id' is required.", 'input_file_id');
  if (window !== '24h') throw badRequest("'completion_window' is not valid: it must be 24h.", 'completion_window');
  if (metadata != null && !isMetadata(metadata))
    throw badRequest("'metadata' is not valid: it must be an object with up to 16 texts.", 'metadata');
  if (output_expires_after != null && !isObject(output_expires_after))
    throw badRequest("'output_expires_after' is not valid: it must be an object.", 'output_expires_after');
  const place = await placeOfFile(deps, admitted.caller.userId, fileId);
  const { channel, key } = keptAt(deps, place, 'file');
  const operation = channel.provider.batches;
  if (!operation) throw noLongerKept('file');
  const endpoint = typeof path === 'string' && operation.endpoints.includes(path) ? endpointFor(path, '') : undefined;
  if (typeof path !== 'string' || !endpoint)
    throw badRequest(`'endpoint' is not valid: it must be one of ${operation.endpoints.join(', ')}.`, 'endpoint');
  const input = new BatchInput(deps, { endpoint, admitted, place });
  await readFile(deps, { channel, key, model: '' }, { path: operation.inputPath(fileId), endpoint: path }, input);
  const shown = { input_file_id: fileId, endpoint: path, completion_window: window, metadata: metadata ?? null };
  const body = { ...shown, ...(output_expires_after != null && { output_expires_after }) };
  return { need: input.need(), operation, place, body, shown };
}

/** Whether a value is valid as `metadata` of an object. */
export const isMetadata = (value: unknown): boolean =>
  isObject(value) &&
  Object.keys(value).length <= 16 &&
  Object.entries(value).every(([name, text]) => name.length <= 64 && typeof text === 'string' && text.length <= 512);

async function readFile(
  deps: Deps,
  access: VendorAccess,
  { path, endpoint }: { path: string; endpoint: string },
  input: BatchInput,
): Promise<void> {
  let count = 0;
  await readInput(deps, access, { path, field: 'input_file_id' }, async (line) => {
    const where = `Line ${++count} of the input file`;
    let read: ReturnType<typeof readLine>;
    try {
      read = readLine(line, endpoint);
    } catch (error) {
      throw error instanceof RelayError ? badRequest(`${where}: ${error.message}`, 'input_file_id') : error;
    }
    await input.add(where, read.id, read.body);
  });
}

/** https://platform.openai.com/docs/api-reference/batch/object */
function batchObject({ task_id, status, data, request, created_at, finish_ms, fail_reason }: BatchView): Json {
  const { input_file_id, endpoint, completion_window, metadata, requests } = request;
  const reported = objectOr(data);
  const batch: Json = {
    object: 'batch',
    errors: null,
    status: 'validating',
    output_file_id: null,
    error_file_id: null,
    expires_at: created_at + 86_400,
    request_counts: { total: requests, completed: 0, failed: 0 },
    ...reported,
    id: task_id,
    endpoint,
    input_file_id,
    completion_window,
    created_at,
    metadata,
  };
  if (status !== 'FAILURE') return batch;
  const error = { code: 'batch_failed', line: null, message: textOr(fail_reason, ''), param: null };
  const failedAt = Math.floor(finish_ms / 1000);
  return { ...batch, status: 'failed', failed_at: failedAt, errors: { object: 'list', data: [error] } };
}
