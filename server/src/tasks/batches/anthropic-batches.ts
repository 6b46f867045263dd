/** Anthropic's Message Batches API for ordinary users. */
import { isFinalTask } from '@relay-hub/contract';
import { isObject, type Json, objectOr } from '#json.ts';
import type { Deps } from '#deps.ts';
import { siteAddress } from '#http/site-address.ts';
import type { AdmittedCaller } from '#relay/call/charged-call.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import { passThrough } from '#relay/pass-through/pass-through.ts';
import { forUsers } from '#relay/pass-through/for-users.ts';
import type { PathAnswer, PathAnswers, PathRow } from '#relay/types/path-row.ts';
import { endpointFor } from '#relay/routes/endpoints.ts';
import { badRequest } from '#relay/reply/relay-error.ts';
import { batchCall, type BatchView, type OrderedBatch } from './batch-call.ts';
import { BatchInput, MAX_REQUESTS } from './batch-input.ts';
import { answerPage, answerTask, cancelBatch, ownBatch } from './own-batches.ts';

const PREFIX = '/v1/messages/batches';
const ACTION = 'ANTHROPIC_BATCH';

export const anthropicBatchRows: readonly PathRow[] = ['', '/claude'].flatMap((base) => {
  const row = (rest: string, answers: PathAnswers): PathRow => ({
    path: base + PREFIX + rest,
    endpoint: PREFIX + rest.replace('{name}', ':id'),
    answers,
  });
  return [
    row('', { POST: users(create), GET: users(list) }),
    row('/{name}', { GET: users(retrieve), DELETE: users(remove) }),
    row('/{name}/cancel', { POST: users(cancel) }),
    row('/{name}/results', { GET: users(results) }),
  ];
});

function users(answer: (context: HttpContext, id: string) => Promise<void>): PathAnswer {
  return forUsers({ prefix: PREFIX, dialect: 'anthropic' }, (context, _, [id = '']) => answer(context, id));
}

function create(context: HttpContext): Promise<void> {
  return batchCall(context, {
    endpoint: PREFIX,
    dialect: 'anthropic',
    action: ACTION,
    order: (admitted, body) => order(context.deps, admitted, body),
    object: objectIn(context),
  });
}

async function order(deps: Deps, admitted: AdmittedCaller, { requests }: Json): Promise<OrderedBatch> {
  const endpoint = endpointFor('/v1/messages', '');
  if (!Array.isArray(requests) || requests.length === 0 || requests.length > MAX_REQUESTS)
    throw badRequest(`'requests' is not valid: it must be a list of 1 to ${MAX_REQUESTS} requests.`, 'requests');
  if (!endpoint) throw new Error('messages have no endpoint');
  const input = new BatchInput(deps, { endpoint, admitted, place: undefined });
  for (const [index, request] of (requests as unknown[]).entries()) {
    const where = `requests.${index}`;
    if (!isObject(request)) throw badRequest(`'${where}' is not valid: it must be an object.`, where);
    await input.add(where, request['custom_id'], request['params']);
  }
  const need = input.need();
  const { channel, key } = need.choice;
  const operation = channel.provider.batches!; // `BatchInput` takes no other channel
  const place = { channelId: channel.id, keyId: key.id };
  return { need, operation, place, body: { requests }, shown: { endpoint: '/v1/messages' } };
}

function retrieve(context: HttpContext, id: string): Promise<void> {
  return answerTask(context, id, ACTION, objectIn(context));
}

function list(context: HttpContext): Promise<void> {
  return answerPage(context, ACTION, objectIn(context));
}

function cancel(context: HttpContext, id: string): Promise<void> {
  return cancelBatch(context, id, ACTION, objectIn(context));
}

function remove(context: HttpContext, id: string): Promise<void> {
  return answerTask(context, id, ACTION, async (task) => {
    if (!isFinalTask(task.status)) throw badRequest('The batch is being processed. Cancel it first.');
    const { db, now } = context.deps;
    await db.updateTable('tasks').set({ hidden_at: now() }).where('id', '=', task.id).execute();
    return { id, type: 'message_batch_deleted' };
  });
}

/** Passes the results on as they arrive. They exist once the batch is settled. */
function results(context: HttpContext, id: string): Promise<void> {
  let path = '';
  return passThrough(context, PREFIX, {
    path: () => path,
    dialect: 'anthropic',
    async locate({ caller }) {
      const { deps } = context;
      await deps.book.caughtUp();
      const task = await ownBatch(deps.db, caller.userId, id, ACTION);
      if (task.status !== 'SUCCESS' && task.status !== 'CANCEL') throw badRequest('The batch has no results yet.');
      path = `${PREFIX}/${task.upstream_id}/results`;
      return { channelId: task.channel_id, keyId: task.key_id };
    },
  });
}

/** https://docs.anthropic.com/en/api/retrieving-message-batches */
const objectIn =
  ({ deps, request: asked }: HttpContext) =>
  ({ task_id, status, data, request, created_at, finish_ms }: BatchView): Json => {
    const isEnded = isFinalTask(status);
    const total = Number(request['requests']);
    const none = { processing: 0, succeeded: 0, errored: 0, canceled: 0, expired: 0 };
    const counts = status === 'FAILURE' ? { ...none, errored: total } : { ...none, processing: total };
    return {
      archived_at: null,
      cancel_initiated_at: null,
      request_counts: counts,
      ...objectOr(data),
      id: task_id,
      type: 'message_batch',
      created_at: timeOf(created_at * 1000),
      expires_at: timeOf((created_at + 86_400) * 1000),
      processing_status: isEnded ? 'ended' : (objectOr(data)['processing_status'] ?? 'in_progress'),
      ended_at: isEnded ? timeOf(finish_ms) : null,
      results_url: isEnded && status !== 'FAILURE' ? `${siteAddress(deps, asked)}${PREFIX}/${task_id}/results` : null,
    };
  };

const timeOf = (ms: number): string => new Date(ms).toISOString();
