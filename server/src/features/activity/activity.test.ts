import { activityApi, channelKeyApi, role, type Attempt } from '@relay-hub/contract';
import { beforeAll, expect, test } from 'vitest';
import { chat, tokenOf } from '#testing/chat.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { insertLogs, logRow, type LogTableRow } from '#testing/log-rows.ts';
import { inMidHour } from '#testing/mid-hour.ts';
import { addPerson, type TestPerson } from '#testing/people.ts';

const HOUR_S = 3600;
const secret = 'https://operator.example.com';

/** A quantile of a histogram: off by less than a bucket. */
const near = (ms: number): unknown => expect.toSatisfy((value: number) => Math.abs(value / ms - 1) < 0.24);

onEveryDatabase('the activity', (make) => {
  inMidHour();
  const hub = hubForSuite(make);
  let admin: TestPerson;
  let ann: TestPerson;
  let bob: TestPerson;
  let tokens: { laptop: number; server: number };
  let channels: [number, number];
  /** Start of the current hour. */
  let hour: number;

  beforeAll(async () => {
    admin = await addPerson(hub(), { role: role.admin });
    ann = await addPerson(hub());
    bob = await addPerson(hub());
    tokens = {
      laptop: (await tokenOf(ann.client, { name: 'laptop' })).id,
      server: (await tokenOf(ann.client, { name: 'server' })).id,
    };
    const upstream = 'http://127.0.0.1:1';
    channels = [
      await addChannel(hub(), upstream, { name: 'first' }),
      await addChannel(hub(), upstream, { name: 'second' }),
    ];
    const now = hub().server.deps.now();
    hour = now - (now % HOUR_S);
    const [first, second] = channels;
    const attempt = (channel: number, more: Partial<Attempt> = {}): Attempt => ({
      channel_id: channel,
      channel_name: '',
      status: 200,
      start: 0,
      ms: 1,
      result: 'ok',
      ...more,
    });
    const limited = (channel: number) =>
      attempt(channel, { result: 'upstream_status', status: 429, cause: 'rate', message: `429 at ${secret}` });
    let count = 0;
    const call = (ago: number, more: Partial<LogTableRow>, attempts?: Attempt[], facts = {}) =>
      logRow({
        request_id: `activity-${++count}`,
        user_id: ann.id,
        username: ann.username,
        token_id: tokens.laptop,
        token_name: 'laptop',
        created_at: hour - ago * HOUR_S,
        channel_id: first,
        quota: 10,
        prompt_tokens: 3,
        completion_tokens: 2,
        request_time: 100 * count,
        metadata: JSON.stringify({ ...facts, ...(attempts && { attempts }) }),
        ...more,
      });
    await insertLogs(hub().server.deps.db, [
      call(0, { is_stream: true }, undefined, { first_response: 40 }), // 100 ms
      call(1, { model_name: 'o3' }), // 200 ms
      // Rescued by the second channel.
      call(2, { channel_id: second, token_id: tokens.server, token_name: 'server' }, [limited(first), attempt(second)]),
      call(2, { failed: true, quota: 0 }, [limited(first)], { status: 429 }),
      // The last hour of the day, the first hour before it, the first of the week and one before that.
      call(23, { user_id: bob.id, username: bob.username, token_id: 99 }),
      call(24, {}),
      call(167, {}),
      call(168, {}),
      // The request's own fault is no failure of the channel.
      call(3, { failed: true, quota: 0 }, [
        attempt(first, { result: 'upstream_status', status: 400, cause: 'request' }),
      ]),
    ]);
    await hub()
      .server.deps.db.insertInto('refusals')
      .values(
        [0, 30].map((ago) => ({
          user_id: ann.id,
          token_id: tokens.laptop,
          hour: hour - ago * HOUR_S,
          reason: 'model_not_found',
          model_name: 'gpt-9',
          many_models: false,
          code: 'model_not_found',
          status: 404,
          count: 3,
          first_time: hour - ago * HOUR_S,
          first_request_id: `refused-${ago}`,
          created_at: hour - ago * HOUR_S,
          request_id: `refused-${ago}`,
          username: ann.username,
          token_name: 'laptop',
          group_name: 'default',
          endpoint: '/v1/chat/completions',
          source_ip: '10.0.0.1',
          message: '',
          needed: 0,
        })),
      )
      .execute();
  });

  const of = (days: '1' | '7' = '1') => ({ query: { days } });

  test('of a channel counts attempts, and shows those that another channel made up for', async () => {
    const [first, second] = channels;
    const params = { id: first };
    const day = await hub().root.call(activityApi.channel, { params, ...of() });
    expect(day).toMatchObject({ from: hour - 23 * HOUR_S, until: hour + HOUR_S, bar_seconds: HOUR_S });
    expect(day.bars).toHaveLength(24);
    expect(day.bars.at(-1)).toEqual({ start: hour, requests: 1, failures: 0 });
    expect(day.bars.at(-3)).toEqual({ start: hour - 2 * HOUR_S, requests: 2, failures: 2 });
    expect(day.tries).toEqual({ requests: 5, failures: 2 });
    expect(day.total).toMatchObject({ requests: 5, failures: 2, quota: 30, prompt_tokens: 15, completion_tokens: 10 });
    expect(day.reasons).toEqual([{ kind: 'rate', count: 2 }]);
    expect(day.parts).toMatchObject([
      { key: 'gpt-4o', name: 'gpt-4o', requests: 4, failures: 2, quota: 20 },
      { key: 'o3', name: 'o3', requests: 1, failures: 0, quota: 10 },
    ]);
    expect(day.speed).toMatchObject({
      duration: { calls: 3, p50: near(200), p95: near(500) },
      first_token: { calls: 1, p50: near(40), p95: near(40) },
    });
    expect(day.speeds).toHaveLength(24);
    expect(day.speeds.at(-1)).toMatchObject({ start: hour, until: hour + HOUR_S, first_token: { p50: near(40) } });
    expect(day.speeds.at(-2)).toMatchObject({ duration: { calls: 1, p50: near(200) }, first_token: { calls: 0 } });
    expect(day.failures.map(({ kind, status, rescued_by: by }) => [kind, status, by?.name])).toEqual([
      ['rate', 429, undefined],
      ['rate', 429, 'second'],
      ['request', 400, undefined],
    ]);
    expect((await hub().root.call(activityApi.channel, { params: { id: second }, ...of() })).tries).toEqual({
      requests: 1,
      failures: 0,
    });

    const week = await hub().root.call(activityApi.channel, { params, ...of('7') });
    expect(week.bars).toHaveLength(28);
    expect(week.bars[0]).toEqual({ start: hour - 167 * HOUR_S, requests: 1, failures: 0 });
    expect(week.tries).toEqual({ requests: 7, failures: 2 });
    // By days, as the roll-ups have them; without gaps.
    expect(week.speeds.map(({ start }) => start).slice(1)).toEqual(week.speeds.map(({ until }) => until).slice(0, -1));
    expect([week.speeds[0]!.start, week.speeds.at(-1)!.until]).toEqual([week.from, week.until]);
    expect(week.speeds.length).toBeLessThan(10);
    expect(week.speeds.reduce((sum, { duration }) => sum + duration.calls, 0)).toBe(week.speed.duration.calls);
  });

  test('of a channel counts the attempts of each key', async () => {
    const model = 'o3-mini';
    const id = await addChannel(hub(), 'http://127.0.0.1:1', { name: 'keys', models: model });
    const [key] = await hub().root.call(channelKeyApi.list, { params: { id } });
    const { key: token } = await tokenOf(hub().root, { name: 'keys' });
    expect((await chat(hub(), token, model)).status).toBe(502);
    const keys = async () => (await hub().root.call(activityApi.channel, { params: { id }, ...of() })).keys;
    expect(await keys()).toEqual([{ id: key!.id, requests: 1, failures: 1 }]);
    // Another node, whose key has gone since.
    const { keyAttempts } = hub().server.deps.live;
    for (const ok of [true, true, false]) keyAttempts.note(id, key!.id, ok, hour * 1000);
    keyAttempts.note(id, key!.id + 1, true, (hour - 30 * HOUR_S) * 1000);
    expect(await keys()).toEqual([{ id: key!.id, requests: 4, failures: 2 }]);
  });

  test('of a user counts calls and refusals apart', async () => {
    const day = await admin.client.call(activityApi.user, { params: { id: ann.id }, ...of() });
    expect(day).toMatchObject({ tries: { requests: 5, failures: 2 }, total: { quota: 30 } });
    expect(day.reasons).toEqual([
      { kind: 'rate', count: 1 },
      { kind: 'request', count: 1 },
    ]);
    expect(day.refusals).toEqual([{ reason: 'model_not_found', status: 404, count: 3 }]);
    const week = await admin.client.call(activityApi.user, { params: { id: ann.id }, ...of('7') });
    expect(week.refusals).toEqual([{ reason: 'model_not_found', status: 404, count: 6 }]);
    expect(week.tries.requests).toBe(7);
  });

  test('of a model names its channels, and a prefix sums up models', async () => {
    const model = (name: string) => hub().root.call(activityApi.model, { query: { model: name } });
    expect((await model('gpt-4o')).parts).toMatchObject([
      { key: String(channels[0]), name: 'first', requests: 4, failures: 2, quota: 20 },
      { key: String(channels[1]), name: 'second', requests: 1, failures: 0, quota: 10 },
    ]);
    expect((await model('gpt-*')).tries).toEqual({ requests: 5, failures: 2 });
    expect(await model('o3')).toMatchObject({ tries: { requests: 1 }, speed: { duration: { p50: near(200) } } });
    expect(await model('nothing')).toMatchObject({
      tries: { requests: 0 },
      speed: { duration: { calls: 0, p50: null } },
      failures: [],
    });
  });

  test('of a token is for its owner and for administrators who may manage it; its owner sees no channel', async () => {
    const params = { id: tokens.laptop };
    const forAdmin = await admin.client.call(activityApi.token, { params, ...of() });
    expect(forAdmin).toMatchObject({ tries: { requests: 4, failures: 2 }, total: { quota: 20 } });
    expect(forAdmin.failures[0]).toMatchObject({ channel_name: 'first', message: `429 at ${secret}` });
    const own = await ann.client.call(activityApi.ownToken, { params, ...of() });
    // The same but for costs, which are the operator's.
    const { cost: _cost, costed: _costed, ...total } = forAdmin.total;
    expect(own.total).toEqual(total);
    expect(own.refusals).toEqual([{ reason: 'model_not_found', status: 404, count: 3 }]);
    expect(own.failures[0]).toMatchObject({ channel_id: 0, channel_name: '', kind: 'rate', status: 429 });
    expect(JSON.stringify(own)).not.toContain(secret);
    const other = await ann.client.call(activityApi.ownToken, { params: { id: tokens.server }, ...of() });
    expect(other.tries).toEqual({ requests: 1, failures: 0 });

    expect((await bob.client.try(activityApi.ownToken, { params, ...of() })).status).toBe(404);
    expect((await bob.client.try(activityApi.token, { params, ...of() })).status).toBe(403);
    const { id: rootToken } = await tokenOf(hub().root, { name: 'of-root' });
    expect((await admin.client.try(activityApi.token, { params: { id: rootToken }, ...of() })).status).toBe(404);
    expect((await admin.client.try(activityApi.user, { params: { id: 1 }, ...of() })).status).toBe(403);
  });
});
