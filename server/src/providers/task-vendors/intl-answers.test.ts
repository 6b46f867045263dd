import { describe, expect, test } from 'vitest';
import type { TaskAnswer, TaskOperation } from '../task-operation.ts';
import { inputOf, type VendorName, vendors } from '#providers/testing/intl-vendors.ts';
import { polledTaskOf, vendorCallOf, videoOrder } from '#providers/testing/task-orders.ts';

const { falQueue, geminiInteractions, geminiVeo } = vendors;

describe('answers are read', () => {
  const ok = (json: unknown, status = 200): TaskAnswer => ({ status, json });
  const rai = { raiMediaFilteredCount: 1, raiMediaFilteredReasons: ['A celebrity.'] };
  const file = 'https://cdn.example/a.mp4';
  const sample = { generatedSamples: [{ video: { uri: file } }] };

  test.each<[VendorName, TaskAnswer, object]>([
    [
      'vertexVeo',
      ok({ done: true, response: { videos: [{ bytesBase64Encoded: 'TVA0', mimeType: 'text/html' }] } }),
      { status: 'SUCCESS', media: [{ kind: 'video', url: '', type: 'video/mp4', bytes: Buffer.from('MP4') }] },
    ],
    [
      'vertexVeo',
      ok({ done: true, response: rai }),
      { status: 'FAILURE', failReason: expect.stringContaining('A celebrity.') as string },
    ],
    ['vertexVeo', ok({ done: true, response: {} }), { status: 'SUCCESS', hasResult: false }],
    [
      'geminiVeo',
      ok({ done: true, response: { generateVideoResponse: sample } }),
      { status: 'SUCCESS', media: [{ kind: 'video', url: file }] },
    ],
    ['geminiVeo', ok({ done: true, response: { generateVideoResponse: rai } }), { status: 'FAILURE' }],
    ['geminiVeo', ok({ done: true, error: { code: 3, message: 'no' } }), { status: 'FAILURE', failReason: 'no' }],
    ['geminiVeo', ok({ name: 'x' }), { status: 'IN_PROGRESS', hasResult: false }],
    [
      'geminiInteractions',
      ok({
        status: 'completed',
        outputs: [{ type: 'text' }, { type: 'video', data: 'TVA0', mime_type: 'video/webm' }],
      }),
      { status: 'SUCCESS', media: [{ type: 'video/webm' }] },
    ],
    [
      'geminiInteractions',
      ok({ status: 'budget_exceeded' }),
      { status: 'FAILURE', failReason: expect.stringContaining('budget_exceeded') as string },
    ],
    ['geminiInteractions', ok({ status: 'cancelled' }), { status: 'CANCEL' }],
    ['runwayTasks', ok({ status: 'THROTTLED' }), { status: 'QUEUED' }],
    ['runwayTasks', ok({ status: 'RUNNING', progress: 0.42 }), { status: 'IN_PROGRESS', progress: 42 }],
    [
      'runwayTasks',
      ok({ status: 'SUCCEEDED', output: [file, 'ftp://x', 7] }),
      { status: 'SUCCESS', media: [{ url: file }] },
    ],
    [
      'runwayTasks',
      ok({ status: 'FAILED', failure: 'no', failureCode: 'SAFETY.INPUT.TEXT' }),
      { failReason: expect.stringMatching(/moderation.*SAFETY/) as string },
    ],
    [
      'lumaAgents',
      ok({ state: 'completed', output: [{ type: 'video', url: file }] }),
      { media: [{ kind: 'video', url: file }] },
    ],
    [
      'lumaDreamMachine',
      ok({ state: 'completed', assets: { video: file, image: `${file}.jpg` } }),
      { media: [{ url: file, cover: `${file}.jpg` }] },
    ],
    ['xaiVideos', { status: 202, json: undefined }, { status: 'IN_PROGRESS' }],
    [
      'xaiVideos',
      ok({ status: 'done', video: { url: file, duration: 5, respect_moderation: true } }),
      { media: [{ url: file, seconds: 5 }] },
    ],
    ['xaiVideos', ok({ status: 'done', video: { url: file, respect_moderation: false } }), { status: 'FAILURE' }],
    [
      'replicatePredictions',
      ok({ status: 'succeeded', output: { video: file, audio: 'https://cdn.example/a.mp3' }, logs: 'secret' }),
      { media: [{ kind: 'video' }, { kind: 'audio' }], data: { status: 'succeeded', metrics: {} } },
    ],
    ['replicatePredictions', ok({ status: 'aborted' }), { status: 'CANCEL' }],
    ['falQueue', ok({ status: 'COMPLETED' }), { status: 'SUCCESS', hasResult: false }],
    [
      'stabilityUpscale',
      ok({ image: 'UE5H', finish_reason: 'SUCCESS' }),
      { media: [{ kind: 'image', type: 'image/png' }] },
    ],
    ['stabilityUpscale', ok({ result: 'UE5H', finish_reason: 'CONTENT_FILTERED' }), { status: 'FAILURE' }],
  ])('%s %o', (name, answer, report) => {
    const [found, ...more] = vendors[name].reports(answer, [polledTaskOf('t1')]) ?? [];
    expect(more).toEqual([]);
    expect(found).toMatchObject({ upstreamId: 't1', ...report });
  });

  test('fal’s result completes its report; an error that may pass is asked for again', () => {
    const report = { upstreamId: 't1', status: 'SUCCESS', hasResult: false } as const;
    const { read } = falQueue.result!; // defined for fal
    expect(read(ok({ video: { url: file, content_type: 'video/mp4' } }), report)).toMatchObject({
      hasResult: true,
      media: [{ kind: 'video', type: 'video/mp4' }],
    });
    expect(read(ok({ detail: [{ msg: 'flagged' }] }, 422), report)).toMatchObject({
      status: 'FAILURE',
      failReason: 'flagged',
    });
    expect(read(ok({ detail: 'slow down' }, 429), report)).toBeUndefined();
    expect(read({ status: 502, json: undefined }, report)).toBeUndefined();
  });

  test('fal’s addresses are followed at the channel’s host only', () => {
    const call = vendorCallOf('fal-ai/kling-video/v2/x', { baseUrl: 'https://proxy.example/fal' });
    const receipt = falQueue.receipt(
      ok({
        request_id: 'r1',
        status_url: 'https://queue.fal.run/fal-ai/kling-video/requests/r1/status',
        response_url: 'https://evil.example/steal',
        cancel_url: 'https://proxy.example/fal/fal-ai/kling-video/requests/r1/cancel',
      }),
      videoOrder({}),
      call,
    );
    const vendor = receipt?.kind === 'accepted' ? receipt.vendor : undefined;
    expect(vendor).toEqual({
      status_url: '/fal-ai/kling-video/requests/r1/status',
      cancel_url: '/fal-ai/kling-video/requests/r1/cancel',
    });
    const task = polledTaskOf('r1', { model: call.model, vendor: vendor ?? {} });
    expect(falQueue.poll([task], call).path).toBe('/fal-ai/kling-video/requests/r1/status');
    expect(falQueue.result!.request(task, { upstreamId: 'r1', status: 'SUCCESS', hasResult: false }, call)).toEqual({
      method: 'GET',
      path: '/fal-ai/kling-video/requests/r1',
    });
    expect(falQueue.cancel!.request(task, call)).toMatchObject({
      method: 'PUT',
      path: '/fal-ai/kling-video/requests/r1/cancel',
    });
  });

  test.each<[VendorName, string, TaskAnswer, boolean]>([
    ['runwayTasks', 'DELETE /v1/tasks/t1', { status: 204, json: undefined }, true],
    ['runwayTasks', 'DELETE /v1/tasks/t1', ok({}, 404), false],
    ['replicatePredictions', 'POST /v1/predictions/t1/cancel', ok({ status: 'canceled' }), true],
    ['replicatePredictions', 'POST /v1/predictions/t1/cancel', ok({ status: 'succeeded' }), false],
    ['geminiInteractions', 'POST /v1beta/interactions/t1/cancel', ok({ status: 'completed' }), false],
    ['falQueue', 'PUT /a/b/requests/t1/cancel', ok({ status: 'CANCELLATION_REQUESTED' }, 202), true],
    ['falQueue', 'PUT /a/b/requests/t1/cancel', ok({ status: 'ALREADY_COMPLETED' }, 400), false],
  ])('%s cancels by %s, answered %o: %s', (name, asked, answer, isCancelled) => {
    const { cancel }: TaskOperation = vendors[name];
    const { method, path } = cancel!.request(polledTaskOf('t1', { model: 'a/b' }), vendorCallOf('a/b')); // these vendors can cancel
    expect(`${method} ${path}`).toBe(asked);
    expect(cancel!.isCancelled(answer)).toBe(isCancelled);
  });

  test('a key follows a result to the host that it was entered for, and to no other', () => {
    const call = vendorCallOf('veo-3', { baseUrl: 'https://generativelanguage.googleapis.com' });
    for (const { mediaHeaders } of [geminiVeo, geminiInteractions] as TaskOperation[]) {
      expect(mediaHeaders?.('https://generativelanguage.googleapis.com/v1beta/files/a:download', call)).toEqual({
        'x-goog-api-key': 'a-key',
      });
      for (const url of [
        'https://evil.example/a',
        'http://generativelanguage.googleapis.com/a',
        'https://generativelanguage.googleapis.com@evil.example/',
        'none',
      ])
        expect(mediaHeaders?.(url, call), url).toBeUndefined();
    }
  });

  const odd: unknown[] = [
    undefined,
    null,
    7,
    'x',
    [],
    [[]],
    {},
    { status: 7, state: {}, error: [], output: 5, outputs: 7, video: [], detail: {} },
  ];
  odd.push(
    { id: '../../etc', request_id: 7, name: 'models/../../x/operations/1', status_url: 5 },
    { done: true, response: [{}] },
  );
  odd.push({
    done: true,
    response: { videos: [null, 7], generateVideoResponse: { generatedSamples: 'x', raiMediaFilteredCount: {} } },
  });
  odd.push({
    status: 'constructor',
    state: '__proto__',
    output: [{ url: {} }, null],
    output_video: { uri: 7 },
    assets: [],
  });
  odd.push(
    { status: 'succeeded', output: { a: { b: { c: { d: { e: file } } } } } },
    { status: 'done', video: null, error: 7 },
  );
  test.each(Object.keys(vendors) as VendorName[])('%s: any shape is read without a fault', (name) => {
    const operation: TaskOperation = vendors[name];
    const call = inputOf(name, 'a/b');
    for (const json of odd)
      for (const status of [200, 202, 403, 404, 422, 500]) {
        const answer = { status, json };
        expect(operation.receipt(answer, videoOrder({}), call)).toBeUndefined();
        for (const report of operation.reports(answer, [polledTaskOf('t1')]) ?? [])
          expect(report.hasResult).toBe(false);
        operation.result?.read(answer, { upstreamId: 't1', status: 'SUCCESS', hasResult: false });
        operation.cancel?.isCancelled(answer);
      }
  });
});
