import { incidentApi, type InputOf, optionApi, statusPageApi } from '@relay-hub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { settleIncidents } from '#alarms/incidents.ts';
import { EndpointCalls, statusEndpointOf } from '#live/endpoint-calls.ts';
import { dayAgo } from '#roll-ups/local-days.ts';
import { addCaller } from '#testing/callers.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, ApiClient, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { insertLogs, logRow } from '#testing/log-rows.ts';
import { inMidHour } from '#testing/mid-hour.ts';
import { addPerson } from '#testing/people.ts';
import { hello, post } from '#testing/relay-calls.ts';
import { StatusSums, statusReport } from './status-report.ts';

const SECRET_WORDS = ['hidden-channel', 'sk-upstream', 'billed-elsewhere', '127.0.0.1', 'internal cause'];

onEveryDatabase('the status page', (make) => {
  inMidHour();
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const set = (values: InputOf<typeof optionApi.setMany>['body']['values']) =>
    hub().root.call(optionApi.setMany, { body: { values } });
  const visitor = () => new ApiClient(hub().url);
  const report = (client = visitor()) => client.call(statusPageApi.get);
  const modelIn = async (name: string, client = visitor()) =>
    (await report(client)).models.find((model) => model.name === name);
  let incident: number;
  let key = '';
  const callOnce = async () => (await post(hub(), key, { ...hello, model: 'gpt-4.1-mini' })).status;

  beforeAll(async () => {
    const { db, now } = hub().server.deps;
    ({ key } = await addCaller(db));
    await addChannel(hub(), upstream().url, {
      name: 'hidden-channel',
      models: 'gpt-4o,gpt-4o-mini,gpt-4.1-mini,o3,mapped',
      model_mapping: '{"mapped":"billed-elsewhere"}',
    });
    await addChannel(hub(), upstream().url, { name: 'hidden-channel 2', models: 'gpt-4.1', group: 'vip' });
    const price = { type: 'tokens', channel_type: 1, input: 1, output: 1 } as const;
    await hub().root.send('POST', '/api/prices/single', { ...price, model: 'billed-elsewhere' });
    const attempts = (result: string) =>
      JSON.stringify({
        attempts: [{ channel_id: 1, channel_name: 'hidden-channel', result, status: 500, ms: 1 }],
        first_response: 300,
      });
    const calls = (
      model_name: string,
      count: number,
      { failed = 0, result = 'connect_failed', at = now() - 60 } = {},
    ) =>
      Array.from({ length: count }, (_, index) =>
        logRow({
          request_id: `${model_name}-${at}-${index}`,
          user_id: 1,
          created_at: at,
          model_name,
          failed: index < failed,
          request_time: 900,
          is_stream: true,
          metadata: attempts(index < failed ? result : 'ok'),
        }),
      );
    await insertLogs(db, [
      ...calls('gpt-4o', 100, { failed: 10 }),
      ...calls('gpt-4o', 40, { at: dayAgo(now(), 5) + 7200 }),
      ...calls('gpt-4o-mini', 19),
      ...calls('billed-elsewhere', 30),
      ...calls('gpt-4.1', 25),
      ...calls('not-offered', 50),
    ]);
    await settleIncidents(
      db,
      [
        {
          kind: 'channel',
          object: '1',
          severity: 'error',
          params: { name: 'hidden-channel' },
          cause: 'internal cause',
        },
      ],
      ['channel'],
      now(),
    );
    const [first] = (await hub().root.call(incidentApi.list)).data;
    incident = first!.id;
  });
  afterAll(() => set({ StatusPageEnabled: 'false' }));

  test('is off by default, feeds included, and calls are not counted for it', async () => {
    expect(await callOnce()).toBe(200);

    for (const path of ['', 'feed.json', 'feed.atom'])
      expect((await visitor().send('GET', `/api/status_page/${path}`)).status).toBe(404);
    await set({ StatusPageEnabled: 'true' });
    expect(await report()).toMatchObject({ incidents: [], maintenance: [], endpoints: [] });
  });

  test.each([
    ['/v1/chat/completions', 'chat'],
    ['/v1/completions', 'chat'],
    ['/v1/responses', 'chat'],
    ['/v1/responses/compact', 'chat'],
    ['/claude/v1/messages', 'chat'],
    ['/gemini/:streamGenerateContent', 'chat'],
    ['/gemini/v1beta/models/gemini-3-flash:generateContent', 'chat'],
    ['/gemini/v1beta/interactions', 'chat'],
    ['/v1/embeddings', 'embeddings'],
    ['/gemini/v1/models/x:batchEmbedContents', 'embeddings'],
    ['/v1/images/generations', 'images'],
    ['/gemini/:predict', 'images'],
    ['/v1/audio/speech', 'audio'],
    ['/v1/audio/transcriptions', 'audio'],
    ['/suno/submit/:kind', 'audio'],
    ['/v1/videos', 'video'],
    ['/gemini/:predictLongRunning', 'video'],
    ['/v1/realtime', 'realtime'],
    ['/gemini/live', 'realtime'],
    ['/v1/rerank', 'rerank'],
    ['/v1/moderations', 'moderations'],
    ['/v1/files', 'other'],
  ])('a call of %s counts as %s', (label, endpoint) => {
    expect(statusEndpointOf(label)).toBe(endpoint);
  });

  test('calls count by endpoint, with faults of the site and of providers, not those of callers', async () => {
    const { deps } = hub().server;
    const { db, live, now } = deps;
    await set({ StatusPageEnabled: 'true' });
    expect(await callOnce()).toBe(200);
    upstream().behaviour = { status: 400, error: { error: { message: 'no such size' } } };
    expect(await callOnce()).toBe(400);
    upstream().behaviour = {};
    const ended = { endpoint: '/v1/images/generations', firstMs: undefined };
    for (let call = 0; call < 25; call++) live.endpointCalls.note({ ...ended, failed: call < 5 }, now());
    for (let call = 0; call < 30; call++)
      live.endpointCalls.note({ endpoint: '/v1/responses', failed: false, firstMs: 300 }, now() - 3 * 86_400);
    // Another node.
    const other = new EndpointCalls(db, deps.log);
    for (let call = 0; call < 5; call++) other.note({ ...ended, failed: false }, now());
    await other.flush();
    const fresh = new StatusSums(deps);
    const { endpoints } = await statusReport(deps, fresh, { group: undefined, language: 'en_US' });
    expect(endpoints.map(({ name }) => name)).toEqual(['chat', 'images']);
    const [chat, images] = endpoints;
    expect(images).toMatchObject({ state: 'failing', recent: { calls: 30 }, total: { calls: 30 } });
    expect(images!.total.success).toBeCloseTo(25 / 30);
    expect(chat).toMatchObject({ state: 'quiet', recent: { calls: 2 }, total: { calls: 32, success: 1 } });
    expect(chat!.total.first_token).toBeGreaterThan(250);
    expect(chat!.days.filter(({ calls }) => calls > 0).map(({ calls }) => calls)).toEqual([30, 2]);
  });

  test('shows success and the first token of the last hour, of 90 days and of each day', async () => {
    const model = await modelIn('gpt-4o');
    expect(model).toMatchObject({
      state: 'failing',
      recent: { calls: 100, success: 0.9 },
      total: { calls: 140 },
    });
    expect(model!.total.success).toBeCloseTo(1 - 10 / 140);
    expect(model!.recent.first_token).toBeGreaterThan(250);
    expect(model!.recent.first_token).toBeLessThan(350);
    expect(model!.days).toHaveLength(90);
    expect(model!.days.at(-6)).toEqual({ calls: 40, success: 1 });
    expect(model!.days.at(-2)).toEqual({ calls: 0, success: null });
  });

  test('fewer than twenty calls show their number only', async () => {
    expect(await modelIn('gpt-4o-mini')).toMatchObject({
      state: 'quiet',
      recent: { calls: 19, success: null, first_token: null },
    });
  });

  test('a model is counted by the name that its calls are billed by, and shown by its own', async () => {
    expect(await modelIn('mapped')).toMatchObject({ recent: { calls: 30, success: 1 } });
  });

  test('a model without any channel counts as failing, and faults of callers do not', async () => {
    const { db, now } = hub().server.deps;
    const hour = now() - (now() % 3600);
    const row = { user_id: 1, token_id: 1, hour, model_name: 'o3', many_models: false, first_time: now() };
    const last = { first_request_id: 'a', created_at: now(), request_id: 'a', username: '', token_name: '' };
    const about = { ...row, ...last, group_name: '', endpoint: '', source_ip: '', message: '', needed: 0 };
    await db
      .insertInto('refusals')
      .values([
        { ...about, reason: 'no_available_channel', code: 'no_available_channel', status: 503, count: 25 },
        { ...about, reason: 'invalid_request', code: 'invalid_request', status: 400, count: 500 },
      ])
      .execute();
    await db
      .insertInto('failures')
      .values({
        hour,
        user_id: 1,
        token_id: 1,
        channel_id: 1,
        model_name: 'billed-elsewhere',
        kind: 'request',
        calls: 9,
      })
      .execute();
    // Sums are kept for a minute.
    const fresh = new StatusSums(hub().server.deps);
    const { models } = await statusReport(hub().server.deps, fresh, { group: undefined, language: 'en_US' });
    expect(models.find(({ name }) => name === 'o3')).toMatchObject({
      state: 'failing',
      recent: { calls: 25, success: 0 },
    });
    expect(models.find(({ name }) => name === 'mapped')).toMatchObject({ recent: { calls: 30, success: 1 } });
  });

  test('shows models of public groups and of the own one, and nothing of channels', async () => {
    const { client } = await addPerson(hub(), { group: 'vip' });
    expect(await modelIn('gpt-4.1')).toBeUndefined();
    expect(await modelIn('gpt-4.1', client)).toMatchObject({ total: { calls: 25 } });
    expect(await modelIn('not-offered', client)).toBeUndefined();
    await hub().root.call(statusPageApi.publish, { params: { id: incident }, body: { words: 'A provider is slow' } });
    for (const who of [visitor(), client])
      for (const path of ['', 'feed.json']) {
        const text = JSON.stringify((await who.send('GET', `/api/status_page/${path}`)).body);
        for (const word of SECRET_WORDS) expect(text).not.toContain(word);
      }
  });

  test('an incident is shown with the words of an operator, in feeds as well, until it is withdrawn', async () => {
    const publish = (words: string | null) =>
      hub().root.call(statusPageApi.publish, { params: { id: incident }, body: { words } });
    expect(await hub().root.call(statusPageApi.incidents)).toMatchObject([
      { id: incident, title: expect.stringContaining('hidden-channel') },
    ]);
    await publish('Slow & <b>late</b>\nWe look into it');
    expect((await report()).incidents).toMatchObject([
      { id: incident, words: 'Slow & <b>late</b>\nWe look into it', closed_at: 0 },
    ]);
    const feed = (await visitor().send('GET', '/api/status_page/feed.json')).body;
    expect(feed).toMatchObject({
      version: 'https://jsonfeed.org/version/1.1',
      items: [{ title: 'Slow & <b>late</b>' }],
    });
    const atom = await fetch(`${hub().url}/api/status_page/feed.atom`);
    expect(atom.headers.get('content-type')).toContain('application/atom+xml');
    const xml = await atom.text();
    expect(xml).toContain('<title>Slow &amp; &lt;b&gt;late&lt;/b&gt;</title>');
    expect(xml).not.toMatch(/hidden-channel|internal cause/);
    await publish(null);
    expect((await report()).incidents).toEqual([]);
  });

  test('can be for some groups: others and visitors are refused', async () => {
    await set({ StatusPageGroups: 'vip' });
    const [member, other] = [(await addPerson(hub(), { group: 'vip' })).client, (await addPerson(hub())).client];
    expect((await visitor().try(statusPageApi.get)).status).toBe(403);
    expect((await other.try(statusPageApi.get)).status).toBe(403);
    expect((await member.try(statusPageApi.get)).status).toBe(200);
    expect((await hub().root.try(statusPageApi.get)).status).toBe(200);
    await set({ StatusPageGroups: '' });
  });
});
