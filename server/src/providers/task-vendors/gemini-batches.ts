/**
 * Google's batches. Requests that come with the order are answered in the batch itself, those of a file in another file.
 * https://ai.google.dev/api/batch-api
 */
import { noUsage } from '@relay-hub/contract';
import { isObject, type Json, listOr, objectOr, textOr } from '#json.ts';
import { gemini } from '#usage/gemini.ts';
import { partOf } from '#usage/counts.ts';
import type { BatchOperation } from '../batch-operation.ts';
import { noTokenUsage, type PolledTask, type TaskReceipt, type TaskReport } from '../task-operation.ts';
import { geminiVersion } from './veo.ts';

/** Google ends a batch after two days. */
const DEADLINE_S = 3 * 86_400;
/** Answers come with the state of a batch. */
const LARGEST_ANSWER = 128 * 1024 * 1024;

const batchName = /^batches\/[\w.-]{1,200}$/;
/** Our id at the start of a batch's name for people, by which it is found if the answer to its submission was lost. */
const ownIdIn = /^(batch_[0-9a-f]{32})(?: (.*))?$/s;

export const geminiBatches: BatchOperation = {
  dialect: 'gemini',
  path: '',
  usage: noTokenUsage,
  platforms: ['batch'],
  deadlineS: DEADLINE_S,
  batch: 1,
  largestAnswer: LARGEST_ANSWER,
  endpoints: ['/gemini/v1beta/models/:generateContent', '/gemini/v1beta/models/:embedContent'],
  // Google does not give uploaded files back.
  inputPath: () => '',
  submit({ body, kind, ownId }, call) {
    const displayName = `${ownId} ${textOr(body['displayName'], '')}`.trim();
    const path = `/${geminiVersion(call)}/models/${encodeURIComponent(call.model)}:${kind}`;
    return { method: 'POST', path, body: { batch: { ...body, displayName } } };
  },
  receipt({ json }): TaskReceipt | undefined {
    const upstreamId = isObject(json) ? textOr(json['name'], '') : '';
    if (!batchName.test(upstreamId)) return undefined;
    return { kind: 'accepted', upstreamId, status: 'SUBMITTED', code: 0, description: '', properties: {} };
  },
  poll: ([task], call) => ({ method: 'GET', path: `/${geminiVersion(call)}/${nameOf(task)}` }),
  find: (_, call) => ({ method: 'GET', path: `/${geminiVersion(call)}/batches?pageSize=100` }),
  reports({ status, json }, tasks) {
    if (status === 404) return [];
    if (status !== 200 || !isObject(json)) return undefined;
    if (tasks.length === 0) return listOr(json['operations']).filter(isObject).flatMap(reportOf);
    return batchName.test(textOr(json['name'], '')) ? reportOf(json) : undefined;
  },
  stop: (task, call) => ({ method: 'POST', path: `/${geminiVersion(call)}/${nameOf(task)}:cancel`, body: {} }),
  stops: ({ status }) => status === 200,
  stopped: objectOr,
  results(batch) {
    const fileId = textOr(outputOf(batch)['responsesFile'], '');
    if (!/^files\/[\w.-]{1,200}$/.test(fileId)) return [];
    return [
      { path: `/v1beta/${fileId}:download?alt=media`, fileId, filename: `${textOr(batch['name'], 'batch')}.jsonl` },
    ];
  },
  inline(batch) {
    const output = outputOf(batch);
    const { inlinedResponses, inlinedEmbedContentResponses } = output;
    return listOr(objectOr(inlinedResponses ?? inlinedEmbedContentResponses)['inlinedResponses']).filter(isObject);
  },
  kept(batch) {
    const { response: _, metadata, ...rest } = batch;
    const { output: __, ...facts } = objectOr(metadata);
    return { ...rest, metadata: facts };
  },
  readLine({ response, error }) {
    const answer = objectOr(response);
    // Embeddings count their tokens outside of the usual place, as a text.
    const tokens = answer['embedding'] === undefined ? 0 : partOf(Number(answer['tokenCount']));
    const usage = gemini.read(gemini.find(answer)) ?? (tokens > 0 ? { ...noUsage, input: tokens } : undefined);
    return { isAnswered: isObject(response) && !isObject(error), usage };
  },
};

function outputOf(batch: Json): Json {
  const [output = {}] = [objectOr(batch['metadata'])['output'], batch['response']].filter(isObject);
  return output;
}

const nameOf = (task: PolledTask | undefined): string => task?.upstreamId ?? '';

function reportOf(operation: Json): TaskReport[] {
  const upstreamId = textOr(operation['name'], '');
  const metadata = objectOr(operation['metadata']);
  const [, ownId = '', displayName = textOr(metadata['displayName'], '')] =
    ownIdIn.exec(textOr(metadata['displayName'], '')) ?? [];
  const data = {
    ...operation,
    metadata: { ...metadata, displayName: ownId === '' ? displayName : (displayName ?? '') },
  };
  const report: TaskReport = { upstreamId, ownId, status: 'IN_PROGRESS', data, hasResult: true };
  const { requestCount, successfulRequestCount = 0, failedRequestCount = 0 } = objectOr(metadata['batchStats']);
  const done = Number(successfulRequestCount) + Number(failedRequestCount);
  if (Number(requestCount) > 0) report.progress = Math.floor((done / Number(requestCount)) * 100);
  const { error } = operation;
  const [, state] = /_STATE_(\w+)$/.exec(textOr(metadata['state'], '')) ?? [];
  if (state === 'SUCCEEDED') return [{ ...report, status: 'SUCCESS' }];
  if (state === 'CANCELLED' || state === 'EXPIRED') return [{ ...report, status: 'CANCEL' }];
  if (state === 'FAILED' || isObject(error))
    return [{ ...report, status: 'FAILURE', failReason: textOr(objectOr(error)['message'], '') }];
  return [report];
}
