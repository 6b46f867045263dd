import { createHash } from 'node:crypto';
import type { JsonObject } from './behaviour.ts';
import type { ReceivedRequest } from './request-ring.ts';

/** `empty`: a success without a result. */
export type VideoStep = 'queued' | 'running' | 'success' | 'failure' | 'empty';
export type VideoFault = 'busy' | 'broken' | 'blocked' | 'key';

export interface CnTask {
  id: string;
  vendor: string;
  body: JsonObject;
  /** The caller's id, where the vendor takes one. */
  ownId: string;
  steps: readonly VideoStep[];
  polls: number;
  /** At the latest poll. */
  step: VideoStep;
}

interface VendorRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  body: JsonObject;
}

interface VendorReply {
  status?: number;
  body: JsonObject;
}

/** The form of a vendor's API. */
export interface CnVendor {
  accepts(request: ReceivedRequest): boolean;
  submits(request: VendorRequest): boolean;
  ownIdIn(body: JsonObject): string;
  accepted(task: CnTask): JsonObject;
  /** `find` moves the task on. `tasks`: all of the vendor. */
  reports(request: VendorRequest, find: (id: string) => CnTask | undefined, tasks: readonly CnTask[]): VendorReply;
  refuses(fault: VideoFault): Required<VendorReply>;
}

export const FAILED = 'the content did not pass the review';
const url = ({ id, step }: CnTask): string | undefined =>
  step === 'success' ? `https://cdn.example/${id}.mp4` : undefined;
const lastPart = (path: string): string => decodeURIComponent(path.replace(/.*\//s, ''));
const textAt = (body: JsonObject, name: string): string => (typeof body[name] === 'string' ? body[name] : '');
const objectAt = (body: JsonObject, name: string): JsonObject => (body[name] ?? {}) as JsonObject; // the server sends it so
const hasBearer = ({ headers }: ReceivedRequest): boolean => /^Bearer \S+$/.test(headers.authorization ?? '');
const statuses = { busy: 429, broken: 500, blocked: 400, key: 401 } as const;
const noOwnId = (): string => '';

type StepNames = Record<VideoStep, string>;
const words = (queued: string, running: string, success: string, failure: string): StepNames => ({
  queued,
  running,
  success,
  failure,
  empty: success,
});

const klingOld = words('submitted', 'processing', 'succeed', 'failed');
const klingNew = words('queued', 'processing', 'succeeded', 'failed');
const klingCodes = { busy: 1303, broken: 5000, blocked: 1301, key: 1002 };

const kling: CnVendor = {
  accepts: hasBearer,
  submits: ({ method, path }) =>
    method === 'POST' && /^\/(?:v1\/videos\/|text-to-video\/|image-to-video\/|omni-video\/)/.test(path),
  ownIdIn: (body) => textAt(body, 'external_task_id') || textAt(objectAt(body, 'options'), 'external_task_id'),
  accepted: ({ id, body }) => ({
    code: 0,
    message: 'SUCCEED',
    request_id: 'r',
    data: body['settings'] ? { id, status: 'submitted' } : { task_id: id, task_status: 'submitted' },
  }),
  reports({ path, query }, find) {
    const base = { code: 0, message: 'SUCCEED', request_id: 'r' };
    if (path === '/tasks') {
      const ids = (query.get('task_ids') ?? query.get('external_task_ids') ?? '').split(',');
      const tasks = ids.map(find).filter((task) => task !== undefined);
      const data = tasks.map((task) => ({
        id: task.id,
        status: klingNew[task.step],
        external_id: task.ownId,
        message: task.step === 'failure' ? FAILED : '',
        outputs: url(task) ? [{ type: 'video', id: 'v', url: url(task), duration: '5' }] : [],
        billing: [{ charge_type: 'unit', amount: '3' }],
      }));
      return { body: { ...base, data } };
    }
    const task = find(lastPart(path));
    if (!task) return { status: 404, body: { code: 1203, message: 'no such task', request_id: 'r' } };
    const data = {
      task_id: task.id,
      task_status: klingOld[task.step],
      task_status_msg: task.step === 'failure' ? FAILED : '',
      task_info: { external_task_id: task.ownId },
      task_result: url(task) ? { videos: [{ id: 'v', url: url(task), duration: '5.1' }] } : {},
      final_unit_deduction: '3',
    };
    return { body: { ...base, data } };
  },
  refuses: (fault) => ({
    status: statuses[fault],
    body: { code: klingCodes[fault], message: fault, request_id: 'r' },
  }),
};

const miniMaxV1 = words('Queueing', 'Processing', 'Success', 'Fail');
const lowerWords = words('queued', 'running', 'succeeded', 'failed');
const miniMaxCodes = { busy: 1002, broken: 1013, blocked: 1026, key: 1004 };
const miniMaxBase = (code = 0, message = 'success') => ({ base_resp: { status_code: code, status_msg: message } });

const minimax: CnVendor = {
  accepts: hasBearer,
  submits: ({ method, path }) => method === 'POST' && /^\/v[12]\/video_generation$/.test(path),
  ownIdIn: noOwnId,
  accepted: ({ id, body }) => ({ task_id: id, ...(!body['content'] && miniMaxBase()) }),
  reports({ path, query }, find) {
    const fileId = query.get('file_id');
    if (fileId) return { body: { file: { download_url: `https://cdn.example/${fileId}.mp4` }, ...miniMaxBase() } };
    const isFirst = path.startsWith('/v1/');
    const task = find(isFirst ? (query.get('task_id') ?? '') : lastPart(path));
    if (!task) return isFirst ? { body: miniMaxBase(2013, 'no such task') } : { status: 404, body: { error: {} } };
    const { id, step } = task;
    const error = step === 'failure' ? { error: { code: 1027, message: FAILED } } : {};
    if (!isFirst) return { body: { task: { id, status: lowerWords[step], content: { url: url(task) }, ...error } } };
    const base = step === 'failure' ? miniMaxBase(1027, FAILED) : miniMaxBase();
    return { body: { task_id: id, status: miniMaxV1[step], file_id: step === 'success' ? id : '', ...base } };
  },
  // Errors come with status 200.
  refuses: (fault) => ({ status: 200, body: miniMaxBase(miniMaxCodes[fault], fault) }),
};

const zhipuWords = words('PROCESSING', 'PROCESSING', 'SUCCESS', 'FAIL');
const zhipuCodes = { busy: '1302', broken: '1234', blocked: '1301', key: '1002' };

const zhipu: CnVendor = {
  accepts: hasBearer,
  submits: ({ method }) => method === 'POST',
  ownIdIn: (body) => textAt(body, 'request_id'),
  accepted: ({ id, ownId }) => ({ id, model: 'm', task_status: 'PROCESSING', request_id: ownId }),
  reports({ path }, find) {
    const task = find(lastPart(path));
    if (!task) return { status: 404, body: { error: { code: '1200', message: 'no such task' } } };
    const result = url(task)
      ? { video_result: [{ url: url(task), cover_image_url: 'https://cdn.example/c.jpg' }] }
      : {};
    const error = task.step === 'failure' ? { error: { code: '1301', message: FAILED } } : {};
    return { body: { id: task.id, task_status: zhipuWords[task.step], request_id: task.ownId, ...result, ...error } };
  },
  refuses: (fault) => ({ status: statuses[fault], body: { error: { code: zhipuCodes[fault], message: fault } } }),
};

const wanWords = words('PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED');
const wanCodes = {
  busy: 'Throttling.RateQuota',
  broken: 'InternalError',
  blocked: 'DataInspectionFailed',
  key: 'InvalidApiKey',
};

const ali: CnVendor = {
  accepts: (request) =>
    hasBearer(request) && (request.method === 'GET' || request.headers['x-dashscope-async'] === 'enable'),
  submits: ({ method }) => method === 'POST',
  ownIdIn: noOwnId,
  accepted: ({ id }) => ({ request_id: 'r', output: { task_id: id, task_status: 'PENDING' } }),
  reports({ path }, find) {
    const task = find(lastPart(path));
    if (!task) return { body: { request_id: 'r', output: { task_id: lastPart(path), task_status: 'UNKNOWN' } } };
    const more = task.step === 'failure' ? { code: 'DataInspectionFailed', message: FAILED } : { video_url: url(task) };
    return { body: { request_id: 'r', output: { task_id: task.id, task_status: wanWords[task.step], ...more } } };
  },
  refuses: (fault) => ({
    status: statuses[fault],
    body: { code: wanCodes[fault], message: fault, request_id: 'r' },
  }),
};

const volcengine: CnVendor = {
  accepts: hasBearer,
  submits: ({ method }) => method === 'POST',
  ownIdIn: noOwnId,
  accepted: ({ id }) => ({ id }),
  reports({ query }, find) {
    const tasks = query
      .getAll('filter.task_ids')
      .map(find)
      .filter((task) => task !== undefined);
    const items = tasks.map((task) => ({
      id: task.id,
      status: lowerWords[task.step],
      ...(url(task) && { content: { video_url: url(task) }, usage: { total_tokens: 108_900 } }),
      ...(task.step === 'failure' && { error: { code: 'OutputVideoSensitiveContentDetected', message: FAILED } }),
    }));
    return { body: { total: items.length, items } };
  },
  refuses: (fault) => ({ status: statuses[fault], body: { error: { code: `Simulated_${fault}`, message: fault } } }),
};

const jimengWords = words('in_queue', 'generating', 'done', 'done');
const jimengCodes = { busy: 50_430, broken: 50_500, blocked: 50_412, key: 50_400 };

const jimeng: CnVendor = {
  accepts: ({ headers, raw }) =>
    /^HMAC-SHA256 Credential=\w+\/\d{8}\/cn-north-1\/cv\/request, /.test(headers.authorization ?? '') &&
    headers['x-content-sha256'] === createHash('sha256').update(raw).digest('hex'),
  submits: ({ query }) => query.get('Action') === 'CVSync2AsyncSubmitTask',
  ownIdIn: noOwnId,
  accepted: ({ id }) => ({ code: 10_000, message: 'Success', request_id: 'r', data: { task_id: id } }),
  reports({ body }, find) {
    const task = find(textAt(body, 'task_id'));
    const status = task && task.body['req_key'] === body['req_key'] ? jimengWords[task.step] : 'not_found';
    if (task?.step === 'failure')
      return { status: 400, body: { code: 50_511, message: FAILED, request_id: 'r', data: null } };
    return { body: { code: 10_000, message: 'Success', data: { status, video_url: task && url(task) } } };
  },
  refuses: (fault) => ({
    status: statuses[fault],
    body: { code: jimengCodes[fault], message: fault, request_id: 'r', data: null },
  }),
};

const viduWords = words('queueing', 'processing', 'success', 'failed');

const vidu: CnVendor = {
  accepts: ({ headers }) => /^Token \S+$/.test(headers.authorization ?? ''),
  submits: ({ method }) => method === 'POST',
  ownIdIn: (body) => textAt(body, 'payload'),
  accepted: ({ id, ownId }) => ({ task_id: id, state: 'created', credits: 20, payload: ownId }),
  reports({ path }, find, tasks) {
    if (path === '/tasks')
      return { body: { tasks: tasks.map(({ id, step, ownId }) => ({ id, state: viduWords[step], payload: ownId })) } };
    const task = find(path.split('/')[2] ?? '');
    if (!task) return { status: 404, body: { code: 404, reason: 'NotFound', message: 'no such task' } };
    const creations = url(task) ? [{ id: 'c', url: url(task), cover_url: 'https://cdn.example/c.jpg' }] : [];
    const error = task.step === 'failure' ? FAILED : '';
    return { body: { id: task.id, state: viduWords[task.step], err_code: error, credits: 20, creations } };
  },
  refuses: (fault) => ({ status: statuses[fault], body: { code: statuses[fault], reason: fault, message: fault } }),
};

/** By the name below `/cn`. */
export const cnVendors: Readonly<Record<string, CnVendor>> = { kling, minimax, zhipu, ali, volcengine, jimeng, vidu };
