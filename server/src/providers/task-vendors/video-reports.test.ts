import { describe, expect, test } from 'vitest';
import type { PolledTask, TaskOperation, TaskReport } from '../task-operation.ts';
import { polledTaskOf, vendorCallOf, videoOrder } from '../testing/task-orders.ts';
import { arkTasks } from './ark-video.ts';
import { dashScopeTasks } from './dashscope-video.ts';
import { jimengTasks } from '#providers/adapters/jimeng.ts';
import { klingLegacyTasks } from './kling-legacy.ts';
import { klingTasks } from './kling.ts';
import { miniMaxTasks, miniMaxV2Tasks } from './minimax-videos.ts';
import { viduTasks } from '#providers/adapters/vidu.ts';
import { zhipuTasks } from './zhipu-video.ts';

const operations = {
  'Kling, older': klingLegacyTasks,
  'Kling, newer': klingTasks,
  'MiniMax v1': miniMaxTasks,
  'MiniMax v2': miniMaxV2Tasks,
  Zhipu: zhipuTasks,
  Wan: dashScopeTasks,
  Seedance: arkTasks,
  Jimeng: jimengTasks,
  Vidu: viduTasks,
} satisfies Record<string, TaskOperation>;

type Vendor = keyof typeof operations;

const url = 'https://cdn.example/a.mp4';
const cover = 'https://cdn.example/a.jpg';

describe('the answer to a submission', () => {
  const receiptOf = (vendor: Vendor, json: unknown) =>
    operations[vendor].receipt({ status: 200, json }, videoOrder({}), vendorCallOf('a-model'));

  test.each<[Vendor, object, string, string, object]>([
    [
      'Kling, older',
      { code: 0, data: { task_id: 't', task_status: 'submitted' } },
      't',
      'QUEUED',
      { kind: 'text2video' },
    ],
    ['Kling, newer', { code: 0, data: { id: 't', status: 'processing' } }, 't', 'IN_PROGRESS', {}],
    ['MiniMax v1', { task_id: 106_916, base_resp: { status_code: 0 } }, '106916', 'SUBMITTED', {}],
    ['MiniMax v2', { task_id: 't' }, 't', 'SUBMITTED', {}],
    ['Zhipu', { id: 't', task_status: 'PROCESSING' }, 't', 'IN_PROGRESS', {}],
    ['Wan', { output: { task_id: 't', task_status: 'PENDING' } }, 't', 'QUEUED', {}],
    ['Seedance', { id: 't' }, 't', 'SUBMITTED', {}],
    ['Jimeng', { code: 10_000, data: { task_id: 't' } }, 't', 'QUEUED', { req_key: 'a-model' }],
    ['Vidu', { task_id: 't', state: 'success', credits: 20 }, 't', 'SUBMITTED', {}],
  ])('of %s is read', (vendor, json, upstreamId, status, kept) => {
    expect(receiptOf(vendor, json)).toMatchObject({ kind: 'accepted', upstreamId, status, vendor: kept });
  });

  test.each<[Vendor, object]>([
    ['Kling, older', { code: 1303, message: 'busy', data: { task_id: 't' } }],
    ['Kling, newer', { code: 1101, message: 'arrears' }],
    ['MiniMax v1', { task_id: '', base_resp: { status_code: 1002, status_msg: 'rate limit' } }],
    ['MiniMax v2', { error: { message: 'no', http_code: 400 }, task_id: 't' }],
    ['Zhipu', { error: { code: '1301', message: 'blocked' }, id: 't' }],
    ['Seedance', { error: { code: 'x', message: 'no' }, id: 't' }],
    ['Jimeng', { code: 50_430, data: { task_id: 't' } }],
  ])('of %s that says no is left to the provider’s reader of errors', (vendor, json) => {
    expect(receiptOf(vendor, json)).toBeUndefined();
  });
});

describe('the state of a task', () => {
  const reportsOf = (vendor: Vendor, json: unknown, status = 200, task: Partial<PolledTask> = {}) =>
    operations[vendor].reports({ status, json }, [polledTaskOf('t', task)]);

  const klingOld = (task_status: string, more: object = {}) => ({
    code: 0,
    message: 'SUCCEED',
    request_id: 'r',
    data: { task_id: 't', task_status, final_balance_deduction: { quota: '1' }, ...more },
  });
  const klingNew = (status: string, more: object = {}) => ({
    code: 0,
    message: '',
    data: [{ id: 't', status, billing: [{ amount: '1' }], ...more }],
  });
  const miniMax = (status: string, code = 0, more: object = {}) => ({
    task_id: 't',
    status,
    base_resp: { status_code: code, status_msg: code === 0 ? 'success' : 'blocked' },
    ...more,
  });
  const jimeng = (status: string, more: object = {}) => ({ code: 10_000, data: { status, ...more } });
  const wan = (task_status: string, more: object = {}) => ({ output: { task_id: 't', task_status, ...more } });
  const ark = (status: string, more: object = {}) => ({ items: [{ id: 't', status, ...more }], total: 1 });

  test.each<[Vendor, object, Partial<TaskReport>]>([
    ['Kling, older', klingOld('submitted'), { status: 'QUEUED', hasResult: false }],
    [
      'Kling, older',
      klingOld('succeed', {
        updated_at: 1_764_000_000_123,
        task_info: { external_task_id: 'task_1' },
        task_result: { videos: [{ id: 'v', url, duration: '5.1' }] },
      }),
      {
        status: 'SUCCESS',
        hasResult: true,
        ownId: 'task_1',
        finishMs: 1_764_000_000_123,
        media: [{ kind: 'video', url, seconds: 5.1 }],
      },
    ],
    [
      'Kling, older',
      klingOld('failed', { task_status_msg: 'risk control' }),
      { status: 'FAILURE', failReason: 'risk control' },
    ],
    ['Kling, older', klingOld('dreaming'), { status: 'IN_PROGRESS', unknownWord: 'dreaming' }],
    ['Kling, newer', klingNew('processing', { external_id: 'task_1' }), { status: 'IN_PROGRESS', ownId: 'task_1' }],
    [
      'Kling, newer',
      klingNew('succeeded', { outputs: [{ type: 'video', id: 'v', url, watermark_url: 'w', duration: '5' }] }),
      {
        status: 'SUCCESS',
        hasResult: true,
        media: [{ kind: 'video', url, seconds: 5 }],
        data: {
          code: 0,
          message: '',
          data: {
            task_id: 't',
            task_status: 'succeed',
            task_status_msg: '',
            task_result: { videos: [{ id: 'v', url, duration: '5' }] },
          },
        },
      },
    ],
    [
      'Kling, newer',
      klingNew('failed', { message: 'content policy' }),
      { status: 'FAILURE', failReason: 'content policy' },
    ],
    ['MiniMax v1', miniMax('Queueing'), { status: 'QUEUED' }],
    ['MiniMax v1', miniMax('Success', 0, { file_id: 'f' }), { status: 'SUCCESS', hasResult: false }],
    ['MiniMax v1', miniMax('Failed'), { status: 'FAILURE', failReason: 'success' }],
    ['MiniMax v1', miniMax('', 1027), { status: 'FAILURE', failReason: '1027: blocked' }],
    ['MiniMax v2', { task: { id: 't', status: 'queued' } }, { status: 'QUEUED' }],
    [
      'MiniMax v2',
      { task: { id: 't', status: 'succeeded', content: { url }, usage: { total_seconds: 5 } } },
      {
        status: 'SUCCESS',
        hasResult: true,
        media: [{ kind: 'video', url }],
        data: { task: { id: 't', status: 'succeeded', content: { url } } },
      },
    ],
    [
      'MiniMax v2',
      { task: { status: 'failed', error: { code: 1026, message: 'no' } } },
      { status: 'FAILURE', failReason: '1026: no' },
    ],
    ['MiniMax v2', { task: { status: 'cancelled' } }, { status: 'CANCEL' }],
    [
      'Zhipu',
      { task_status: 'SUCCESS', request_id: 'task_1', video_result: [{ url, cover_image_url: cover }] },
      { status: 'SUCCESS', hasResult: true, ownId: 'task_1', media: [{ kind: 'video', url, cover }] },
    ],
    [
      'Zhipu',
      { task_status: 'FAIL', error: { code: '1301', message: 'blocked' } },
      { status: 'FAILURE', failReason: '1301: blocked' },
    ],
    ['Wan', wan('SUSPENDED'), { status: 'QUEUED' }],
    [
      'Wan',
      { ...wan('SUCCEEDED', { video_url: url }), usage: { duration: 5 } },
      { status: 'SUCCESS', hasResult: true, media: [{ kind: 'video', url }] },
    ],
    [
      'Wan',
      wan('FAILED', { code: 'DataInspectionFailed', message: 'inappropriate content' }),
      { status: 'FAILURE', failReason: 'DataInspectionFailed: inappropriate content' },
    ],
    ['Wan', wan('UNKNOWN'), { status: 'FAILURE', failReason: 'The upstream no longer knows this task.' }],
    ['Wan', wan('CANCELED'), { status: 'CANCEL' }],
    ['Seedance', ark('running'), { status: 'IN_PROGRESS' }],
    [
      'Seedance',
      ark('succeeded', { content: { video_url: url, last_frame_url: cover }, duration: 5, usage: { total_tokens: 9 } }),
      {
        status: 'SUCCESS',
        hasResult: true,
        media: [{ kind: 'video', url, cover, seconds: 5 }],
        data: { id: 't', status: 'succeeded', content: { video_url: url, last_frame_url: cover }, duration: 5 },
      },
    ],
    [
      'Seedance',
      ark('failed', { error: { code: 'Sensitive', message: 'no' } }),
      { status: 'FAILURE', failReason: 'Sensitive: no' },
    ],
    ['Seedance', ark('expired'), { status: 'FAILURE' }],
    ['Seedance', ark('cancelled'), { status: 'CANCEL' }],
    ['Jimeng', jimeng('in_queue'), { status: 'QUEUED' }],
    [
      'Jimeng',
      jimeng('done', { video_url: url }),
      { status: 'SUCCESS', hasResult: true, media: [{ kind: 'video', url }] },
    ],
    ['Jimeng', jimeng('done'), { status: 'SUCCESS', hasResult: false }],
    ['Jimeng', jimeng('not_found'), { status: 'FAILURE', failReason: 'The upstream no longer knows this task.' }],
    [
      'Jimeng',
      { code: 50_511, message: 'Post Img Risk', data: null },
      { status: 'FAILURE', failReason: '50511: Post Img Risk' },
    ],
    ['Vidu', { state: 'queueing' }, { status: 'QUEUED' }],
    [
      'Vidu',
      { id: 't', state: 'success', credits: 20, creations: [{ id: 'c', url, cover_url: cover, watermarked_url: 'w' }] },
      {
        status: 'SUCCESS',
        hasResult: true,
        media: [{ kind: 'video', url, cover }],
        data: { id: 't', state: 'success', creations: [{ id: 'c', url, cover_url: cover }] },
      },
    ],
    [
      'Vidu',
      { state: 'failed', err_code: 'AuditSubmitIllegal' },
      { status: 'FAILURE', failReason: 'AuditSubmitIllegal' },
    ],
    ['Vidu', { tasks: [{ id: 't', state: 'created', payload: 'task_1' }] }, { status: 'QUEUED', ownId: 'task_1' }],
  ])('%s: %j', (vendor, json, expected) => {
    const reports = reportsOf(vendor, json);
    expect(reports).toHaveLength(1);
    expect(reports?.[0]).toMatchObject({ upstreamId: 't', ...expected });
    expect(JSON.stringify(reports?.[0]?.data ?? null)).not.toMatch(/credits|billing|deduction|usage|tokens/);
  });

  test.each<[Vendor, number, unknown, 'missing' | 'unanswered']>([
    ['Kling, older', 404, { code: 1203, message: 'not found' }, 'missing'],
    ['Kling, older', 401, { code: 1002 }, 'unanswered'],
    ['Kling, newer', 200, { code: 0, data: [] }, 'missing'],
    ['MiniMax v1', 200, miniMax('Processing', 1002), 'unanswered'],
    ['MiniMax v2', 404, { error: { message: 'no' } }, 'missing'],
    ['MiniMax v2', 404, '<html>', 'unanswered'],
    ['Zhipu', 429, { error: { code: '1302' } }, 'unanswered'],
    ['Wan', 400, { code: 'Throttling' }, 'unanswered'],
    ['Seedance', 200, { items: [], total: 0 }, 'missing'],
    ['Seedance', 500, { items: [] }, 'unanswered'],
    ['Jimeng', 429, { code: 50_430, data: null }, 'unanswered'],
    ['Jimeng', 500, { code: 50_500, data: { status: 'done', video_url: url } }, 'unanswered'],
    ['Vidu', 404, { code: 404 }, 'missing'],
  ])('%s, %d %j: the task is %4$s', (vendor, status, json, what) => {
    expect(reportsOf(vendor, json, status)).toEqual(what === 'missing' ? [] : undefined);
  });

  test('of MiniMax v1 is completed by the address of its file', () => {
    const { result } = miniMaxTasks;
    const [report] = reportsOf('MiniMax v1', miniMax('Success', 0, { file_id: 205 })) ?? [];
    const task = polledTaskOf('t');
    expect(result?.request(task, report!, vendorCallOf('m'))).toEqual({
      method: 'GET',
      path: '/v1/files/retrieve?file_id=205',
    });
    const file = { file: { file_id: 205, download_url: url }, base_resp: { status_code: 0 } };
    expect(result?.read({ status: 200, json: file }, report!)).toMatchObject({
      status: 'SUCCESS',
      hasResult: true,
      media: [{ kind: 'video', url }],
    });
    expect(result?.read({ status: 200, json: { base_resp: { status_code: 1004 } } }, report!)).toBeUndefined();
  });
});

describe('hostile answers', () => {
  const odd: unknown[] = [undefined, null, 7, 'text', [], {}, [null], { data: null }, { data: [null, 7] }];
  const holes = ['code', 'data', 'task', 'output', 'items', 'tasks', 'state', 'status', 'task_status', 'base_resp'];
  const values: unknown[] = [null, 0, -1, '', '__proto__', 'constructor', [], [[]], {}, { status: {} }, 1e308];
  const shapes = [
    ...odd,
    ...holes.flatMap((name) => values.map((value) => ({ code: 0, id: 't', task_id: 't', [name]: value }))),
    ...values.map((value) => ({ code: 10_000, data: { status: value, task_id: value, video_url: value } })),
    ...values.map((value) => ({ code: 0, data: { task_id: 't', task_status: value, task_result: { videos: value } } })),
    ...values.map((value) => ({ code: 0, data: [{ id: 't', status: value, outputs: [value] }] })),
    ...values.map((value) => ({ items: [{ id: 't', status: value, content: value, error: value }] })),
    ...values.map((value) => ({ task: { id: value, status: value, content: value, error: value } })),
    ...values.map((value) => ({ task_status: value, video_result: [value], creations: [value], state: value })),
    ...values.map((value) => ({ status: 'Success', file_id: value, base_resp: value })),
  ];

  test.each(Object.entries(operations))('of %s throw nothing and succeed with nothing', (_, operation) => {
    const call = vendorCallOf('m');
    for (const json of shapes)
      for (const status of [200, 302, 404, 500]) {
        const receipt = operation.receipt({ status, json }, videoOrder({}), call);
        expect(receipt === undefined || (receipt.kind === 'accepted' && receipt.upstreamId !== '')).toBe(true);
        for (const tasks of [[], [polledTaskOf('t')]])
          for (const report of operation.reports({ status, json }, tasks) ?? []) {
            expect(report.hasResult).toBe(false);
            expect(operation.result?.read({ status, json }, report)).toBeUndefined();
            operation.result?.request(polledTaskOf('t'), report, call);
          }
        operation.cancel?.isCancelled({ status, json });
      }
  });
});

test.each<[Vendor, number, unknown, boolean]>([
  ['MiniMax v2', 200, {}, true],
  ['MiniMax v2', 400, { error: { message: 'running' } }, false],
  ['Wan', 200, { request_id: 'r' }, true],
  ['Wan', 400, { code: 'UnsupportedOperation', request_id: 'r' }, false],
  ['Seedance', 200, {}, true],
  ['Seedance', 204, undefined, true],
  ['Seedance', 409, { error: { code: 'x' } }, false],
  ['Vidu', 200, {}, true],
  ['Vidu', 400, { message: 'can not cancel' }, false],
])('a cancellation at %s, %d %j: %s', (vendor, status, json, isCancelled) => {
  expect(operations[vendor].cancel?.isCancelled({ status, json })).toBe(isCancelled);
});
