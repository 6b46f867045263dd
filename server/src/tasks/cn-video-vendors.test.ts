import { priceApi } from '@relay-hub/contract';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, type TestCaller, userOf } from '#testing/callers.ts';
import { newSqlite } from '#testing/databases.ts';
import { addChannel } from '#testing/hub.ts';
import { FAILED } from '#upstream-simulator/cn-video-vendors.ts';
import { videoWorld } from './testing/video-world.ts';

const QUOTA = 5_000_000;

/** Credits for the shortest video, by the built-in prices or by those below. */
const vendors = [
  { vendor: 'kling', type: 53, key: 'AK|secret-part', model: 'kling-v2-6', credits: 105_000 },
  { vendor: 'kling', type: 53, key: 'secret-part', model: 'kling-3.0', credits: 210_000 },
  { vendor: 'minimax', type: 27, key: 'secret-part', model: 'MiniMax-Hailuo-2.3', credits: 150_000 },
  { vendor: 'minimax', type: 27, key: 'secret-part', model: 'MiniMax-H3', credits: 200_000 },
  { vendor: 'zhipu', type: 16, key: 'secret-part', model: 'cogvideox-3', credits: 70_000 },
  { vendor: 'ali', type: 17, key: 'secret-part', model: 'wan2.7-t2v', credits: 250_000 },
  { vendor: 'volcengine', type: 105, key: 'secret-part', model: 'doubao-seedance-2-0-260128', credits: 355_000 },
  { vendor: 'jimeng', type: 106, key: 'AK|secret-part', model: 'jimeng_t2v_v30', credits: 80_000 },
  { vendor: 'vidu', type: 103, key: 'secret-part', model: 'viduq3-pro', credits: 125_000 },
];

const ownPrices = {
  'MiniMax-Hailuo-2.3_second': 25,
  'cogvideox-3': 70,
  jimeng_t2v_v30_5: 80,
  'viduq3-pro_720p_second': 25,
};

describe('videos of Chinese vendors', () => {
  const { hub, upstream, deps, order, submit, row, rows, poll, until } = videoWorld(newSqlite);
  const service = () => upstream().cnVideos;
  let who: TestCaller;

  beforeAll(async () => {
    for (const { vendor, type, key, model } of vendors)
      await addChannel(hub(), `${upstream().url}/cn/${vendor}`, { type, name: model, key, models: model });
    for (const [model, input] of Object.entries(ownPrices))
      await hub().root.call(priceApi.create, { body: { model, type: 'times', channel_type: 1, input, output: input } });
  });
  beforeEach(async () => {
    who = await addCaller(deps().db, { quota: QUOTA });
  });
  afterEach(() => expectBooksBalance(deps().db));

  const spent = async () => QUOTA - (await userOf(deps().db, who)).balance;

  test.each(vendors)('$model: is submitted, polled to its end and charged once', async ({ model, credits }) => {
    const id = await submit(who, { model });
    expect(await row(id)).toMatchObject({ platform: 'video', quota: credits });
    expect(['SUBMITTED', 'QUEUED', 'IN_PROGRESS']).toContain((await row(id)).status);
    const done = await until(id, 'SUCCESS');
    expect(JSON.stringify(done.data)).toMatch(/https:\/\/cdn\.example\/[\w-]+\.mp4|file_id/);
    expect(JSON.stringify(done.data)).not.toMatch(/billing|credits|deduction|usage/);
    expect(await spent()).toBe(credits);
  });

  test.each(vendors)('$model: a failed one is refunded, and its caller is told why', async ({ model }) => {
    service().next({ steps: ['running', 'failure'] });
    const failed = await until(await submit(who, { model }), 'FAILURE');
    expect(failed).toMatchObject({ refunded: true });
    expect(failed.fail_reason).toContain(FAILED);
    expect(await spent()).toBe(0);
  });

  test.each(vendors)('$model: what the vendor refuses at once costs nothing', async ({ model }) => {
    service().next({ fault: 'blocked' });
    expect((await order(who, { model })).status).toBe(400);
    service().next({ fault: 'busy' });
    expect((await order(who, { model })).status).toBe(429);
    expect(await rows(who)).toEqual([]);
    expect(await spent()).toBe(0);
  });

  test('what a vendor cannot do is refused before anything is sent', async () => {
    upstream().requests.clear();
    expect(await order(who, { model: 'MiniMax-Hailuo-2.3', ratio: '1:1' })).toMatchObject({
      status: 400,
      json: { error: { param: 'ratio' } },
    });
    expect(upstream().requests.length).toBe(0);
  });

  test.each([
    { model: 'kling-v2-6', firstFrame: { url: 'https://img.example/a.png' } },
    { model: 'kling-3.0' },
    { model: 'viduq3-pro' },
  ])('$model: a task whose answer was lost is found by our id, and charged once', async (body) => {
    service().next({ fault: 'lost' });
    await order(who, body);
    const [lost] = await rows(who);
    expect(lost).toMatchObject({ status: 'UNKNOWN', upstream_id: '' });
    await poll();
    expect((await row(lost!.task_id)).upstream_id).not.toBe('');
    await until(lost!.task_id, 'SUCCESS');
    expect(await spent()).toBe(lost!.quota);
  });

  test('a success without a result is asked for again, and refunded in the end', async () => {
    service().next({ steps: ['empty'] });
    const id = await submit(who, { model: 'wan2.7-t2v' });
    expect(await until(id, 'FAILURE')).toMatchObject({ fail_reason: 'The upstream finished without a result.' });
    expect(await spent()).toBe(0);
  });

  // Last: their channels may rest afterwards.
  test.each(vendors)('$model: a refused key is the channel’s fault, not the caller’s', async ({ model }) => {
    service().next({ fault: 'key' });
    const { status, json } = await order(who, { model });
    expect({ status, json }).toMatchObject({ status: 502, json: { error: { code: 'upstream_rejected' } } });
    expect(JSON.stringify(json)).not.toContain('secret-part');
    expect(await spent()).toBe(0);
  });
});
