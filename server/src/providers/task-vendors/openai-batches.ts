/** OpenAI's Batch API. https://platform.openai.com/docs/api-reference/batch */
import { isObject, type Json, listOr, objectOr, textOr } from '#json.ts';
import { openAiChat } from '#usage/open-ai-chat.ts';
import { openAiResponses } from '#usage/open-ai-responses.ts';
import type { BatchOperation } from '../batch-operation.ts';
import { noTokenUsage, type PolledTask, type TaskReceipt, type TaskReport } from '../task-operation.ts';

const PREFIX = '/v1/batches';
/** A batch takes at most a day, and its files may be late. */
const DEADLINE_S = 3 * 86_400;
/** Limit of OpenAI for entries of `metadata`. */
const MAX_METADATA = 16;

/** Entry of `metadata` with our id, by which a batch is found if the answer to its submission was lost. */
export const OWN_ID = 'relay_hub_batch';

/** A request with our id in its `metadata`, where there is room for it. */
export function withOwnId(body: Json, ownId: string): Json {
  const metadata = { ...objectOr(body['metadata']) };
  if (Object.keys(metadata).length < MAX_METADATA) metadata[OWN_ID] = ownId;
  return { ...body, metadata };
}

export const openAiBatches: BatchOperation = {
  dialect: 'openai',
  path: PREFIX,
  usage: noTokenUsage,
  platforms: ['batch'],
  deadlineS: DEADLINE_S,
  batch: 1,
  endpoints: ['/v1/chat/completions', '/v1/responses', '/v1/embeddings', '/v1/completions', '/v1/moderations'],
  inputPath: (fileId) => `/v1/files/${encodeURIComponent(fileId)}/content`,
  submit({ body, ownId }) {
    return { method: 'POST', path: PREFIX, headers: { 'idempotency-key': ownId }, body: withOwnId(body, ownId) };
  },
  receipt({ json }): TaskReceipt | undefined {
    const upstreamId = isObject(json) && json['object'] === 'batch' ? textOr(json['id'], '') : '';
    if (upstreamId === '') return undefined;
    return { kind: 'accepted', upstreamId, status: 'SUBMITTED', code: 0, description: '', properties: {} };
  },
  poll: ([task]) => ({ method: 'GET', path: pathOf(task) }),
  find: () => ({ method: 'GET', path: `${PREFIX}?limit=100` }),
  reports({ status, json }, tasks) {
    if (status === 404) return [];
    if (status !== 200 || !isObject(json)) return undefined;
    if (json['object'] === 'list') return listOr(json['data']).filter(isObject).flatMap(reportOf);
    return tasks.length > 0 && json['object'] === 'batch' ? reportOf(json) : undefined;
  },
  stop: (task) => ({ method: 'POST', path: `${pathOf(task)}/cancel`, body: {} }),
  stopped: (batch) => ({ ...objectOr(batch), status: 'cancelling', output_file_id: null, error_file_id: null }),
  results: (batch) =>
    (['output', 'error'] as const).flatMap((kind) => {
      const fileId = textOr(batch[`${kind}_file_id`], '');
      const filename = `${textOr(batch['id'], 'batch')}_${kind}.jsonl`;
      return fileId === '' ? [] : [{ path: openAiBatches.inputPath(fileId), fileId, filename }];
    }),
  readLine(line, endpoint) {
    const { status_code: status, body } = objectOr(line['response']);
    const format = endpoint === '/v1/responses' ? openAiResponses : openAiChat;
    const usage = format.read(format.find(body));
    return { isAnswered: status === 200, usage };
  },
};

const pathOf = (task: PolledTask | undefined): string => `${PREFIX}/${encodeURIComponent(task?.upstreamId ?? '')}`;

function reportOf(batch: Json): TaskReport[] {
  const upstreamId = textOr(batch['id'], '');
  if (upstreamId === '') return [];
  const { status } = batch;
  const { [OWN_ID]: ownId, ...metadata } = objectOr(batch['metadata']);
  const { total, completed, failed } = objectOr(batch['request_counts']);
  const report: TaskReport = {
    upstreamId,
    ownId: textOr(ownId, ''),
    status: 'IN_PROGRESS',
    data: { ...batch, metadata: Object.keys(metadata).length > 0 ? metadata : null },
    hasResult: true,
  };
  if (Number(total) > 0) report.progress = Math.floor(((Number(completed) + Number(failed)) / Number(total)) * 100);
  if (status === 'failed') return [{ ...report, status: 'FAILURE', failReason: reasonIn(batch) }];
  if (status === 'completed' || status === 'expired') return [{ ...report, status: 'SUCCESS' }];
  return [status === 'cancelled' ? { ...report, status: 'CANCEL' } : report];
}

const reasonIn = (batch: Json): string =>
  listOr(objectOr(batch['errors'])['data'])
    .filter(isObject)
    .map(({ message, line }) => `${typeof line === 'number' ? `Line ${line}: ` : ''}${textOr(message, '')}`)
    .slice(0, 5)
    .join(' ');
