/** Anthropic's Message Batches API. https://docs.anthropic.com/en/api/creating-message-batches */
import { isObject, type Json, objectOr, textOr } from '#json.ts';
import { anthropicMessages } from '#usage/anthropic-messages.ts';
import type { BatchOperation } from '../batch-operation.ts';
import { noTokenUsage, type PolledTask, type TaskReceipt, type TaskReport } from '../task-operation.ts';

const PREFIX = '/v1/messages/batches';
/** A batch takes at most a day, and its results may be late. */
const DEADLINE_S = 3 * 86_400;

export const anthropicBatches: BatchOperation = {
  dialect: 'anthropic',
  path: PREFIX,
  usage: noTokenUsage,
  platforms: ['batch'],
  deadlineS: DEADLINE_S,
  batch: 1,
  endpoints: ['/v1/messages'],
  // Requests come with the order.
  inputPath: () => '',
  submit: ({ body }) => ({ method: 'POST', path: PREFIX, body }),
  receipt({ json }): TaskReceipt | undefined {
    const upstreamId = isObject(json) && json['type'] === 'message_batch' ? textOr(json['id'], '') : '';
    if (upstreamId === '') return undefined;
    return { kind: 'accepted', upstreamId, status: 'SUBMITTED', code: 0, description: '', properties: {} };
  },
  poll: ([task]) => ({ method: 'GET', path: pathOf(task) }),
  reports({ status, json }) {
    if (status === 404) return [];
    return status === 200 && isObject(json) && json['type'] === 'message_batch' ? reportOf(json) : undefined;
  },
  stop: (task) => ({ method: 'POST', path: `${pathOf(task)}/cancel`, body: {} }),
  stopped: (batch) => ({ ...objectOr(batch), processing_status: 'canceling', ended_at: null }),
  results: (batch) =>
    batch['results_url'] === null
      ? []
      : [{ path: `${PREFIX}/${textOr(batch['id'], '')}/results`, fileId: '', filename: '' }],
  readLine({ result }) {
    const { type, message } = objectOr(result);
    const usage = anthropicMessages.read(anthropicMessages.find(message));
    return { isAnswered: type === 'succeeded', usage };
  },
};

const pathOf = (task: PolledTask | undefined): string => `${PREFIX}/${encodeURIComponent(task?.upstreamId ?? '')}`;

function reportOf(batch: Json): TaskReport[] {
  const upstreamId = textOr(batch['id'], '');
  if (upstreamId === '') return [];
  const status = batch['processing_status'] === 'ended' ? 'SUCCESS' : 'IN_PROGRESS';
  return [{ upstreamId, status, data: batch, hasResult: true }];
}
