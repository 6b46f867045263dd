/**
 * Fine-tuning jobs of OpenAI's API, as batches whose only answer is the job with its trained tokens.
 * https://platform.openai.com/docs/api-reference/fine-tuning
 */
import { noUsage } from '@relay-hub/contract';
import { isObject, type Json, listOr, objectOr, textOr } from '#json.ts';
import { partOf } from '#usage/counts.ts';
import type { BatchOperation } from '../batch-operation.ts';
import { noTokenUsage, type PolledTask, type TaskReceipt, type TaskReport } from '../task-operation.ts';
import { openAiBatches, OWN_ID, withOwnId } from './openai-batches.ts';

const PREFIX = '/v1/fine_tuning/jobs';
/** Jobs wait for capacity, and large ones take days. */
const DEADLINE_S = 14 * 86_400;

export const openAiFineTuning: BatchOperation = {
  dialect: 'openai',
  path: PREFIX,
  usage: noTokenUsage,
  platforms: ['batch'],
  deadlineS: DEADLINE_S,
  batch: 1,
  endpoints: [],
  inputPath: openAiBatches.inputPath,
  submit: ({ body, ownId }) => ({ method: 'POST', path: PREFIX, body: withOwnId(body, ownId) }),
  receipt({ json }): TaskReceipt | undefined {
    const upstreamId = isJob(json) ? textOr(json['id'], '') : '';
    if (upstreamId === '') return undefined;
    return { kind: 'accepted', upstreamId, status: 'SUBMITTED', code: 0, description: '', properties: {} };
  },
  poll: ([task]) => ({ method: 'GET', path: pathOf(task) }),
  find: () => ({ method: 'GET', path: `${PREFIX}?limit=100` }),
  reports({ status, json }, tasks) {
    if (status === 404) return [];
    if (status !== 200 || !isObject(json)) return undefined;
    if (json['object'] === 'list') return listOr(json['data']).filter(isJob).flatMap(reportOf);
    return tasks.length > 0 && isJob(json) ? reportOf(json) : undefined;
  },
  stop: (task) => ({ method: 'POST', path: `${pathOf(task)}/cancel`, body: {} }),
  stopped: objectOr,
  results: () => [],
  inline: (job) => [job],
  readLine({ status, trained_tokens: tokens }) {
    const trained = partOf(Number(tokens));
    // A cancelled job reports what it was trained with until then, or nothing.
    return {
      isAnswered: status === 'succeeded' || trained > 0,
      usage: trained > 0 ? { ...noUsage, input: trained } : undefined,
    };
  },
};

const isJob = (json: unknown): json is Json => isObject(json) && json['object'] === 'fine_tuning.job';

const pathOf = (task: PolledTask | undefined): string => `${PREFIX}/${encodeURIComponent(task?.upstreamId ?? '')}`;

function reportOf(job: Json): TaskReport[] {
  const upstreamId = textOr(job['id'], '');
  if (upstreamId === '') return [];
  const { [OWN_ID]: ownId, ...metadata } = objectOr(job['metadata']);
  const report: TaskReport = {
    upstreamId,
    ownId: textOr(ownId, ''),
    status: 'IN_PROGRESS',
    data: { ...job, metadata: Object.keys(metadata).length > 0 ? metadata : null },
    hasResult: true,
  };
  const { status } = job;
  if (status === 'failed')
    return [{ ...report, status: 'FAILURE', failReason: textOr(objectOr(job['error'])['message'], '') }];
  if (status === 'succeeded') return [{ ...report, status: 'SUCCESS' }];
  return [status === 'cancelled' ? { ...report, status: 'CANCEL' } : report];
}
