import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { VideoOrder } from '#providers/video-order.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, type TestCaller, userOf } from '#testing/callers.ts';
import { type IntlChannel, intlWorld } from './testing/intl-world.ts';

const QUOTA = 10_000_000;
const image = { base64: 'UE5H', type: 'image/png' };

interface VendorCase extends IntlChannel {
  model: string;
  video?: Partial<VideoOrder>;
  /** Credits of the order. */
  cost: number;
  reason: RegExp;
}

/** Names without a price here have a built-in one: dollars per second, times the seconds, times 500,000. */
const cases: readonly VendorCase[] = [
  { type: 42, at: 'vertex', model: 'veo-3.1-fast-generate-001', cost: 8 * 50_000, reason: /moderation.*celebrity/ },
  {
    type: 25,
    at: 'gemini-api',
    model: 'veo-3.1-generate-001',
    video: { seconds: 4 },
    cost: 4 * 200_000,
    reason: /celebrity/,
  },
  { type: 25, at: 'gemini-api', model: 'gemini-omni-1.1-flash', cost: 8 * 50_000, reason: /blocked/ },
  {
    type: 101,
    at: 'runway',
    model: 'gen4.5',
    cost: 5 * 60_000,
    reason: /moderation.*SAFETY/,
    prices: { 'gen4.5_720p_second': 60_000 },
  },
  { type: 102, at: 'luma', model: 'ray-3.2', cost: 150_000, reason: /moderation.*Not allowed/ },
  { type: 102, at: 'luma', model: 'ray-2', cost: 355_000, reason: /Not allowed/, prices: { 'ray-2_720p_5': 355_000 } },
  { type: 56, at: 'xai', model: 'grok-imagine-video', cost: 5 * 25_000, reason: /moderation/ },
  {
    type: 52,
    at: 'replicate',
    model: 'minimax/video-01',
    cost: 250_000,
    reason: /sensitive/,
    prices: { 'minimax/video-01': 250_000 },
  },
  {
    type: 104,
    at: 'fal',
    model: 'fal-ai/minimax/video-01',
    cost: 240_000,
    reason: /flagged/,
    prices: { 'fal-ai/minimax/video-01': 240_000 },
  },
  {
    type: 37,
    at: 'stability',
    model: 'stable-image-upscale-creative',
    video: { firstFrame: image },
    cost: 125_000,
    reason: /moderation/,
    prices: { 'stable-image-upscale-creative': 125_000 },
  },
].map((one) => ({ models: one.model, ...one }));

describe('videos of vendors outside China', () => {
  const world = intlWorld(cases);
  const { upstream, deps, order, row, poll, until, expire, entries, wakeChannels } = world;
  const service = () => upstream().intlVideos;
  let who: TestCaller;

  beforeEach(async () => {
    who = await addCaller(deps().db, { quota: QUOTA });
    upstream().requests.clear();
  });
  afterEach(async () => {
    wakeChannels();
    await expectBooksBalance(deps().db);
  });
  const spent = async () => QUOTA - (await userOf(deps().db, who)).balance;
  const ordered = async (model: string, video?: Partial<VideoOrder>): Promise<string> => {
    const { status, json } = await order(who, model, video);
    expect(json).toMatchObject({ id: expect.any(String) as string });
    expect(status).toBe(200);
    return json.id!; // checked above
  };

  test.each(cases)('$at makes $model: polled to its end, charged once, refused and failed for nothing', async (one) => {
    const { model, video, cost, at, reason } = one;
    const id = await ordered(model, video);
    expect(await row(id)).toMatchObject({ status: 'SUBMITTED', platform: 'video', upstream_model: model, quota: cost });
    await until(id, 'IN_PROGRESS');
    const done = await until(id, 'SUCCESS');
    expect(JSON.stringify([done.data, done.properties])).not.toMatch(/127\.0\.0\.1|"id"|credits|ticks|logs/);
    expect(await entries(id)).toEqual([['settle', -cost]]);

    service().next({ status: 400, message: 'The prompt is too long.' });
    const refused = await order(who, model, video);
    expect(refused).toMatchObject({
      status: 400,
      json: { error: { message: expect.stringMatching(/too long/) as string } },
    });
    expect(await spent()).toBe(cost);

    service().next({ steps: ['running', 'moderated'] });
    const stopped = await ordered(model, video);
    const failed = await until(stopped, 'FAILURE');
    expect(failed.fail_reason).toMatch(reason);
    expect(await entries(stopped)).toEqual([
      ['settle', -cost],
      ['refund', cost],
    ]);
    expect(await spent()).toBe(cost);
    const sent = [...upstream().requests].filter(({ path }) => path.startsWith(`/${at}/`));
    expect(sent.length).toBeGreaterThan(5);
  });

  test.each(cases)('$at: a key or a balance that $model refuses is the channel’s fault', async ({ model, video }) => {
    service().next({ status: 401, message: 'Invalid API key.' });
    expect(await order(who, model, video)).toMatchObject({
      status: 502,
      json: { error: { code: 'upstream_rejected' } },
    });
    wakeChannels();
    service().next({ status: 402, message: 'Insufficient credits.' });
    expect(await order(who, model, video)).toMatchObject({
      status: 502,
      json: { error: { code: 'upstream_rejected' } },
    });
    wakeChannels();
    service().next({ status: 429, message: 'Too many requests.' });
    expect(await order(who, model, video)).toMatchObject({ status: 429 });
    wakeChannels();
    service().next({ status: 500, message: 'It broke.' });
    expect((await order(who, model, video)).status).toBeGreaterThanOrEqual(500);
    expect(await spent()).toBe(0);
  });

  test('an order that no vendor of the model can do is refused with the field’s name, before anything is sent', async () => {
    for (const [model, video, param] of [
      ['gen4.5', { seconds: 60 }, 'seconds'],
      ['grok-imagine-video', { negativePrompt: 'dogs' }, 'negativePrompt'],
      ['ray-3.2', { extra: { callback_url: 'https://evil.example' } }, 'callback_url'],
      ['minimax/video-01', { extra: { num_frames: 1000 } }, 'num_frames'],
      ['veo-3.1-fast-generate-001', { seconds: 5 }, 'seconds'],
      ['grok-imagine-video', { resolution: '1080p' }, 'model'], // has no price
    ] satisfies [string, Partial<VideoOrder>, string][]) {
      const { status, json } = await order(who, model, video);
      expect({ status, param: json.error?.param }, model).toEqual({ status: 400, param });
    }
    expect([...upstream().requests]).toEqual([]);
    expect(await spent()).toBe(0);
  });

  test('a word that the vendor invented leaves the task running, a task that it has forgotten is refunded', async () => {
    service().next({ steps: ['odd', 'odd', 'done'] });
    const odd = await ordered('gen4.5');
    await poll();
    expect(await row(odd)).toMatchObject({ status: 'IN_PROGRESS' });
    await until(odd, 'SUCCESS');
    const forgotten = await ordered('gen4.5');
    service().videos.clear();
    for (let n = 0; n < 6; n++) await poll();
    expect(await row(forgotten)).toMatchObject({ status: 'FAILURE', refunded: true });
    expect(await spent()).toBe(5 * 60_000);
  });

  test('a success without a result and a lost answer are refunded', async () => {
    service().next({ steps: ['empty'] });
    const empty = await ordered('fal-ai/minimax/video-01');
    for (let n = 0; n < 6; n++) await poll();
    expect(await row(empty)).toMatchObject({ status: 'FAILURE', refunded: true });
    service().next({ fault: 'lost' });
    const lost = await ordered('ray-3.2');
    expect(await row(lost)).toMatchObject({ status: 'UNKNOWN', quota: 150_000 });
    await expire(lost);
    await poll();
    expect(await row(lost)).toMatchObject({ status: 'FAILURE', refunded: true });
    expect(await spent()).toBe(0);
  });
});
