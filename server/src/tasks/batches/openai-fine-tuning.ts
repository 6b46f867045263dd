/**
 * OpenAI's fine-tuning jobs for ordinary users, at the price named `fine_tuning/MODEL` per trained token. A job goes to
 * the account that keeps its training file, and is settled like a batch.
 */
import { keptAt, noLongerKept } from '#relay/state/object-refusals.ts';
import { isFinalTask, noUsage } from '@relay-hub/contract';
import { isObject, type Json, listOr, objectOr, textOr } from '#json.ts';
import { rememberObjects, UNTIL_DELETED_S } from '#affinity/upstream-objects.ts';
import type { Deps } from '#deps.ts';
import { estimateTokens } from '#quota/estimate.ts';
import type { AdmittedCaller } from '#relay/call/charged-call.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import { isName } from '#relay/dialects/open-ai.ts';
import { placeOfFile } from '#relay/objects/files.ts';
import { checkTogether } from '#relay/objects/own-objects.ts';
import { passThrough } from '#relay/pass-through/pass-through.ts';
import { forUsers } from '#relay/pass-through/for-users.ts';
import type { PathAnswer, PathRow } from '#relay/types/path-row.ts';
import { modelForbidden } from '#relay/admission/limit-refusal.ts';
import { badRequest, RelayError } from '#relay/reply/relay-error.ts';
import { FINE_TUNING } from '#tasks/origin-channel.ts';
import type { TaskRow } from '#tasks/task-rows.ts';
import { batchCall, type BatchView, type OrderedBatch } from './batch-call.ts';
import { isMetadata } from './openai-batches.ts';
import { answerPage, answerTask, cancelBatch, ownBatch } from './own-batches.ts';
import { readInput } from './read-input.ts';

const PREFIX = '/v1/fine_tuning/jobs';
const ACTION = 'OPENAI_FINE_TUNING';
const MOST_EPOCHS = 50;

export const openAiFineTuningRows: readonly PathRow[] = [
  {
    path: PREFIX,
    endpoint: PREFIX,
    answers: {
      POST: offered((context) => create(context)),
      GET: offered((context) => answerPage(context, ACTION, jobObject, taskIdOf)),
    },
  },
  {
    path: `${PREFIX}/{name}`,
    endpoint: `${PREFIX}/:id`,
    answers: { GET: offered((context, id) => retrieve(context, id)) },
  },
  {
    path: `${PREFIX}/{name}/cancel`,
    endpoint: `${PREFIX}/:id/cancel`,
    answers: { POST: offered((context, id) => cancelBatch(context, id, ACTION, jobObject)) },
  },
  ...['/events', '/checkpoints'].map((rest): PathRow => ({
    path: `${PREFIX}/{name}${rest}`,
    endpoint: `${PREFIX}/:id${rest}`,
    answers: { GET: offered((context, id) => details(context, id, rest)) },
  })),
];

/** Without any price, the paths do not exist for users. `id`: of the task. */
function offered(answer: (context: HttpContext, id: string) => Promise<void>): PathAnswer {
  return forUsers({ prefix: PREFIX }, (context, _, [shownId = '']) =>
    context.deps.live.prices.namesWith(FINE_TUNING).length > 0
      ? answer(context, taskIdOf(shownId))
      : passThrough(context, PREFIX),
  );
}

/** Ids of jobs begin as clients expect; tasks have another start. */
const shownIdOf = (taskId: string): string => taskId.replace(/^batch_/, 'ftjob-');
const taskIdOf = (shownId: string): string => shownId.replace(/^ftjob-/, 'batch_');

const create = (context: HttpContext): Promise<void> =>
  batchCall(context, {
    endpoint: PREFIX,
    dialect: 'openai',
    action: ACTION,
    content: 'Fine-tuning job',
    order: (admitted, body) => order(context.deps, admitted, body),
    object: jobObject,
  });

async function order(deps: Deps, admitted: AdmittedCaller, json: Json): Promise<OrderedBatch> {
  const { model, training_file: trainingId, validation_file: validationId, integrations, metadata } = json;
  const { caller, group } = admitted;
  if (!isName(model)) throw badRequest("'model' is not valid: it must be the name of a model.", 'model');
  if (typeof trainingId !== 'string' || trainingId === '')
    throw badRequest("'training_file' is required.", 'training_file');
  if (metadata != null && !isMetadata(metadata))
    throw badRequest("'metadata' is not valid: it must be an object with up to 16 texts.", 'metadata');
  if (listOr(integrations).length > 0) throw badRequest("'integrations' is not supported.", 'integrations');
  const price = deps.live.prices.exact(FINE_TUNING + model);
  if (price?.type !== 'tokens')
    throw new RelayError(404, `The model '${model}' cannot be fine-tuned here.`, {
      type: 'invalid_request_error',
      code: 'model_not_found',
      param: 'model',
    });
  if (caller.limits?.models?.(model) === false) throw modelForbidden(model);
  const place = await placeOfFile(deps, caller.userId, trainingId);
  if (validationId != null) {
    if (typeof validationId !== 'string')
      throw badRequest("'validation_file' is not valid: it must be the id of a file.", 'validation_file');
    checkTogether(await placeOfFile(deps, caller.userId, validationId), place);
  }
  const { channel, key } = keptAt(deps, place, 'file');
  const operation = channel.provider.fineTuning;
  if (!operation) throw noLongerKept('file');
  const training = trainingOf(json);
  let examples = 0;
  let tokens = 0;
  const file = { path: operation.inputPath(trainingId), field: 'training_file' };
  await readInput(deps, { channel, key, model: '' }, file, (line) => {
    examples++;
    tokens += estimateTokens(line);
  });
  if (examples === 0) throw badRequest('The training file has no examples.', 'training_file');
  const epochs = training.epochs ?? usualEpochs(examples);
  const billedModel = FINE_TUNING + model;
  const usage = { ...noUsage, input: tokens * epochs, units: 1 };
  const rates = price.ratesFor(group.ratio);
  const choice = { channel, key, operation, upstreamModel: billedModel, billedModel, price, rates };
  const { organization_id: _, ...asked } = json;
  return {
    need: { model, requests: 1, usage, choice },
    operation,
    place,
    price,
    kind: 'fine_tuning',
    body: { ...asked, ...training.withEpochs(epochs) },
    shown: {
      endpoint: PREFIX,
      model,
      training_file: trainingId,
      validation_file: validationId ?? null,
      metadata: metadata ?? null,
      ...training.withEpochs(epochs),
    },
  };
}

interface Training {
  /** Undefined: the provider would choose. */
  epochs: number | undefined;
  /** Members of the request that state the number of epochs. */
  withEpochs(epochs: number): Json;
}

/** Reads how a model is trained. Throws a 400 for a method that is billed by time, or an invalid number of epochs. */
function trainingOf({ method, hyperparameters }: Json): Training {
  if (method != null && !isObject(method)) throw badRequest("'method' is not valid: it must be an object.", 'method');
  const type = objectOr(method)['type'] ?? 'supervised';
  if (type !== 'supervised' && type !== 'dpo')
    throw badRequest("'method.type' is not valid: it must be one of supervised, dpo.", 'method.type');
  const own = objectOr(objectOr(method)[type]);
  const parameters = objectOr(method == null ? hyperparameters : (own['hyperparameters'] ?? hyperparameters));
  const { n_epochs: epochs } = parameters;
  const isGiven = epochs != null && epochs !== 'auto';
  if (isGiven && !(typeof epochs === 'number' && Number.isInteger(epochs) && epochs >= 1 && epochs <= MOST_EPOCHS))
    throw badRequest(
      `'n_epochs' is not valid: it must be auto or a whole number from 1 to ${MOST_EPOCHS}.`,
      'n_epochs',
    );
  return {
    epochs: typeof epochs === 'number' ? epochs : undefined,
    withEpochs(count) {
      const stated = { ...parameters, n_epochs: count };
      if (method == null) return { hyperparameters: stated };
      return { method: { type, [type]: { ...own, hyperparameters: stated } } };
    },
  };
}

/** The number of epochs that OpenAI chooses for examples. It is stated in the request, so that the reservation covers it. */
function usualEpochs(examples: number): number {
  if (examples * 3 < 100) return Math.min(25, Math.floor(100 / examples));
  return examples * 3 > 25_000 ? Math.max(1, Math.floor(25_000 / examples)) : 3;
}

const retrieve = (context: HttpContext, id: string): Promise<void> =>
  answerTask(context, id, ACTION, async (task) => {
    if (isFinalTask(task.status)) await keepResults(context.deps, task);
    return jobObject(task);
  });

/** Files with the figures of a job become files of its owner. */
async function keepResults({ db, now }: Deps, task: TaskRow): Promise<void> {
  const ids = resultFilesOf(task);
  if (ids.length === 0) return;
  const owner = { userId: task.user_id, tokenId: task.token_id };
  const place = { channelId: task.channel_id, keyId: task.key_id };
  const shown = { object: 'file', created_at: Math.floor(task.finish_ms / 1000), purpose: 'fine-tune-results' };
  await rememberObjects(
    db,
    owner,
    ids.map((id) => {
      const data = JSON.stringify({ id, ...shown, filename: 'step_metrics.csv', bytes: 0, dialect: 'openai' });
      return { kind: 'file', id, ...place, parentId: '', tokens: 0, data };
    }),
    { now: now(), until: now() + UNTIL_DELETED_S },
  );
}

const resultFilesOf = ({ data }: Pick<BatchView, 'data'>): string[] =>
  listOr(objectOr(data)['result_files']).filter((id): id is string => typeof id === 'string' && id !== '');

/** Events or checkpoints of a job, from its provider. */
const details = (context: HttpContext, id: string, action: string): Promise<void> => {
  let path = '';
  return passThrough(context, PREFIX, {
    path: () => path,
    async locate({ caller }) {
      const { deps, request } = context;
      await deps.book.caughtUp();
      const task = await ownBatch(deps.db, caller.userId, id, ACTION);
      const [, query] = (request.url ?? '').split('?');
      path = `${PREFIX}/${task.upstream_id}${action}${query === undefined ? '' : `?${query}`}`;
      return { channelId: task.channel_id, keyId: task.key_id };
    },
  });
};

/** https://platform.openai.com/docs/api-reference/fine-tuning/object */
function jobObject({ task_id, status, data, request, created_at, finish_ms, fail_reason }: BatchView): Json {
  const { model, training_file, validation_file, metadata, method, hyperparameters } = request;
  const { organization_id: _, ...reported } = objectOr(data);
  const isEnded = isFinalTask(status);
  const job: Json = {
    object: 'fine_tuning.job',
    status: 'validating_files',
    error: null,
    fine_tuned_model: null,
    trained_tokens: null,
    hyperparameters: hyperparameters ?? {},
    ...(method != null && { method }),
    seed: 0,
    ...reported,
    id: shownIdOf(task_id),
    // The operator's account is not shown.
    organization_id: '',
    created_at,
    finished_at: isEnded ? Math.floor(finish_ms / 1000) : null,
    model,
    training_file,
    validation_file,
    metadata,
    result_files: isEnded ? resultFilesOf({ data }) : [],
  };
  if (status !== 'FAILURE') return job;
  return { ...job, status: 'failed', error: { code: 'job_failed', message: textOr(fail_reason, ''), param: null } };
}
