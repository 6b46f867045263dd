import { creditsFor, noUsage, priceApi, ratesOf } from '@relay-hub/contract';
import Anthropic, { toFile as toAnthropicFile } from '@anthropic-ai/sdk';
import OpenAI, { toFile } from 'openai';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { objectOr, parseJson } from '#json.ts';
import { pruneObjects } from '#affinity/upstream-objects.ts';
import { removeExpiredObjects } from '#tasks/objects/remove-expired.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller, userOf } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, addToken, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { clientOf, errorOf, post } from '#testing/relay-calls.ts';

const MODEL = 'gpt-4o-mini';
const BALANCE = 10_000_000;
const DAY_S = 86_400;
/** $0.10 per GB and day, $0.0015 per GB and minute, $0.0025 per search. */
const storage = { type: 'tokens', input: 0.05, output: 0, extra_ratios: {} } as const;
const minutes = { type: 'times', input: 0.75, output: 0, extra_ratios: {} } as const;
const search = { type: 'times', input: 1.25, output: 0, extra_ratios: {} } as const;

onOneDatabase('hosted objects of users', (make) => {
  const hub = hubForSuite(make);
  const raw = rawUpstreamForSuite();
  const deps = () => hub().server.deps;
  const db = () => deps().db;
  /** Key of the account that keeps an object. */
  const kept = new Map<string, string>();
  let channelId = 0;
  let who: TestCaller;
  let other: TestCaller;
  let fails = false;

  beforeAll(async () => {
    // Without prices, the paths do not exist.
    who = await addCaller(db(), { quota: BALANCE });
    channelId = await addChannel(hub(), raw().url, { type: 1, models: MODEL });
    const client = clientOf(hub(), who.key);
    for (const refused of [
      () => client.vectorStores.create({}),
      () => client.vectorStores.list(),
      () => client.vectorStores.search('vs_1', { query: 'x' }),
      () => client.containers.create({ name: 'a' }),
      () => client.containers.list(),
    ])
      await expect(refused()).rejects.toMatchObject({ status: 404 });
    expect(raw().requests).toEqual([]);
    for (const [model, price] of [
      ['vector_store', storage],
      ['vector_store_search', search],
      ['container', minutes],
    ] as const)
      await hub().root.call(priceApi.create, { body: { model, channel_type: 1, ...price } });
  });

  beforeEach(async () => {
    who = await addCaller(db(), { quota: BALANCE });
    other = await addCaller(db(), { quota: BALANCE });
    raw().requests.length = 0;
    fails = false;
    await db().updateTable('channels').set({ deleted_time: 1 }).where('deleted_time', 'is', null).execute();
    channelId = await addChannel(hub(), raw().url, {
      type: 1,
      key: 'sk-key-a1-000000\nsk-key-a2-000000',
      models: MODEL,
    });
    await addChannel(hub(), raw().url, { type: 14, key: 'key-c-000000', models: 'claude-sonnet-4-5' });
    raw().reply = (response, body) => {
      const { url, headers } = raw().requests.at(-1)!;
      const auth = String(headers.authorization ?? headers['x-api-key']);
      const json = objectOr(parseJson(body.toString()));
      const made = (start: string) => {
        const id = `${start}${kept.size + 1}`;
        kept.set(id, auth);
        return id;
      };
      if (fails) return sendJson(response, { error: { message: 'no', type: 'server_error' } }, 500);
      const [path = ''] = url.split('?');
      const named = [
        ...(JSON.stringify(json).match(/(?:file|vs|cntr|skill)[-_]\d+/g) ?? []),
        ...(path.match(/(?:file|vs|cntr|skill)[-_]\d+/g) ?? []),
      ];
      if (named.some((id) => kept.get(id) !== auth)) return sendJson(response, { error: { message: 'none' } }, 404);
      const [, id] = /^\/v1\/(?:vector_stores|containers|skills)\/([\w-]+)$/.exec(path) ?? [];
      if (path === '/v1/files')
        return sendJson(response, { id: made('file-'), object: 'file', bytes: 5_000_000, purpose: 'assistants' });
      if (path === '/v1/vector_stores')
        return sendJson(response, { ...json, id: made('vs_'), object: 'vector_store', status: 'in_progress' });
      if (path === '/v1/containers') return sendJson(response, { ...json, id: made('cntr_'), object: 'container' });
      if (path === '/v1/skills' && body.length > 0)
        return sendJson(response, { id: made('skill_'), type: 'skill', source: 'custom', latest_version: '1' });
      if (path.endsWith('/search')) return sendJson(response, { object: 'vector_store.search_results.page', data: [] });
      if (path.endsWith('/content')) return void response.end('chart');
      if (id !== undefined)
        return sendJson(response, { id, object: 'vector_store', status: 'completed', deleted: true });
      if (path === '/v1/responses')
        return sendJson(response, {
          id: made('resp_'),
          object: 'response',
          status: 'completed',
          output: [
            { type: 'code_interpreter_call', id: made('ci_'), container_id: made('cntr_'), status: 'completed' },
            { type: 'message', id: made('msg_'), role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] },
          ],
          usage: { input_tokens: 5, output_tokens: 5, total_tokens: 10 },
        });
      if (path === '/v1/messages')
        return sendJson(response, {
          id: made('msg_'),
          type: 'message',
          role: 'assistant',
          model: json['model'],
          content: [{ type: 'text', text: 'Hi' }],
          stop_reason: 'end_turn',
          usage: { input_tokens: 5, output_tokens: 5 },
        });
      sendJson(response, { id: 'x', object: 'vector_store.file', status: 'in_progress' });
    };
  });

  afterEach(() => expectBooksBalance(db()));

  const spent = async () => BALANCE - (await userOf(db(), who)).balance;
  const statusOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 200,
      (error: unknown) =>
        error instanceof OpenAI.APIError || error instanceof Anthropic.APIError ? error.status : error,
    );
  const upload = async (client: OpenAI): Promise<string> =>
    (await client.files.create({ file: await toFile(Buffer.from('x'), 'a.txt'), purpose: 'assistants' })).id;
  const storageCost = (kilobyteDays: number) => creditsFor(ratesOf(storage, 1), { ...noUsage, input: kilobyteDays });
  const searching = (id: string, from: OpenAI) =>
    from.responses.create({ model: MODEL, input: 'x', tools: [{ type: 'file_search', vector_store_ids: [id] }] });
  const running = (container: string, from: OpenAI) =>
    from.responses.create({ model: MODEL, input: 'x', tools: [{ type: 'code_interpreter', container }] });

  test('a vector store is paid for its files and days, and belongs to its creator', async () => {
    const client = clientOf(hub(), who.key);
    const theirs = clientOf(hub(), other.key);
    const [file, more] = [await upload(client), await upload(client)];
    const store = await client.vectorStores.create({
      name: 'notes',
      file_ids: [file],
      expires_after: { anchor: 'last_active_at', days: 30 },
    });
    expect(store.expires_at).toBeGreaterThan(deps().now() + 29.9 * DAY_S);
    let cost = storageCost(5000 * 30);
    expect(await spent()).toBe(cost);
    expect((await rowsOf(db(), who)).at(-1)).toMatchObject({
      model_name: 'vector_store',
      content: 'Vector store for 30 days: 150000 kB-days',
      metadata: { usage_source: 'upstream', endpoint: '/v1/vector_stores' },
    });
    // Files that are added later are paid for the rest of the time.
    const until = deps().now() + 3 * DAY_S + 60;
    await db().updateTable('upstream_objects').set({ expires_at: until }).where('object_id', '=', store.id).execute();
    await client.vectorStores.files.create(store.id, { file_id: more });
    const added = (await spent()) - cost;
    expect(added).toBeGreaterThanOrEqual(storageCost(5000 * 3));
    expect(added).toBeLessThanOrEqual(storageCost(5000 * 3 + 10));
    cost += added;
    await client.vectorStores.search(store.id, { query: 'x' });
    cost += creditsFor(ratesOf(search, 1), { ...noUsage, units: 1 });
    expect(await spent()).toBe(cost);

    expect(await client.vectorStores.retrieve(store.id)).toMatchObject({ status: 'completed' });
    expect((await client.vectorStores.list()).data).toMatchObject([
      { id: store.id, status: 'completed', expires_at: until },
    ]);
    expect((await client.vectorStores.update(store.id, { name: 'b' })).id).toBe(store.id);
    expect(
      await statusOf(client.vectorStores.update(store.id, { expires_after: { anchor: 'last_active_at', days: 300 } })),
    ).toBe(400);
    for (let n = 0; n < 4; n++) expect(await statusOf(searching(store.id, client))).toBe(200);
    expect((await theirs.vectorStores.list()).data).toEqual([]);
    const sent = raw().requests.length;
    const foreign = await upload(theirs);
    for (const refused of [
      () => theirs.vectorStores.retrieve(store.id),
      () => theirs.vectorStores.delete(store.id),
      () => theirs.vectorStores.search(store.id, { query: 'x' }),
      () => theirs.vectorStores.files.create(store.id, { file_id: foreign }),
      () => theirs.vectorStores.files.list(store.id),
      () => theirs.vectorStores.fileBatches.create(store.id, { file_ids: [foreign] }),
      () => theirs.vectorStores.create({ file_ids: [file] }),
      () => client.vectorStores.fileBatches.create(store.id, { file_ids: [foreign] }),
      () => searching(store.id, theirs),
    ])
      expect(await statusOf(refused())).toBe(404);
    expect(raw().requests).toHaveLength(sent + 1);
    const before = await spent();
    await client.vectorStores.delete(store.id);
    expect(await statusOf(searching(store.id, client))).toBe(404);
    expect(await spent()).toBe(before);
  });

  test('nothing is charged that was not made, and nothing is made that cannot be paid', async () => {
    const client = clientOf(hub(), who.key);
    const file_ids = [await upload(client)];
    fails = true;
    expect(await statusOf(client.vectorStores.create({ file_ids }))).toBe(500);
    expect(await statusOf(client.containers.create({ name: 'a' }))).toBe(500);
    fails = false;
    expect(await spent()).toBe(0);
    for (const invalid of [
      { expires_after: { anchor: 'last_active_at', days: 0 } },
      { expires_after: { anchor: 'created_at', days: 3 } },
      { expires_after: { anchor: 'last_active_at', days: 366 } },
    ])
      expect((await post(hub(), who.key, invalid, '/v1/vector_stores')).status).toBe(400);
    const sent = raw().requests.length;
    const poor = await addCaller(db(), { quota: storageCost(5000 * 7) - 1 });
    const theirs = clientOf(hub(), poor.key);
    const theirFile = await upload(theirs);
    expect((await post(hub(), poor.key, { file_ids: [theirFile] }, '/v1/vector_stores')).status).toBe(402);
    expect(raw().requests).toHaveLength(sent + 1);
    // Of several at once, only those are made that the balance covers.
    const each = creditsFor(ratesOf(minutes, 1), { ...noUsage, units: 20 });
    const modest = await addCaller(db(), { quota: 2 * each + 1 });
    const made = await Promise.all([1, 2, 3].map(() => post(hub(), modest.key, { name: 'a' }, '/v1/containers')));
    expect(made.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 402]);
    expect((await userOf(db(), modest)).balance).toBe(1);
  });

  test('a container is paid by size and minutes, and takes only files of its owner', async () => {
    const client = clientOf(hub(), who.key);
    const theirs = clientOf(hub(), other.key);
    const foreign = await upload(theirs);
    expect(await statusOf(client.containers.create({ name: 'a', file_ids: [foreign] }))).toBe(404);
    const odd = { name: 'a', skills: [{ type: 'skill_reference', skill_id: 'skill_x' }] };
    expect((await post(hub(), who.key, odd, '/v1/containers')).status).toBe(404);
    const made = await client.containers.create({
      name: 'a',
      memory_limit: '4g',
      expires_after: { anchor: 'last_active_at', minutes: 1 },
    });
    expect(await spent()).toBe(creditsFor(ratesOf(minutes, 1), { ...noUsage, units: 20 }));
    expect((await client.containers.list()).data).toMatchObject([{ id: made.id, memory_limit: '4g' }]);
    const own = await upload(client);
    expect(await statusOf(client.containers.files.create(made.id, { file_id: own }))).toBe(200);
    const content = await toFile(Buffer.from('x'.repeat(100)), 'b.txt');
    expect(await statusOf(client.containers.files.create(made.id, { file: content }))).toBe(200);
    expect(raw().requests.at(-1)!.body.toString()).toContain('x'.repeat(100));
    for (let n = 0; n < 4; n++) expect(await statusOf(running(made.id, client))).toBe(200);
    for (const refused of [
      () => client.containers.files.create(made.id, { file_id: foreign }),
      () => theirs.containers.files.create(made.id, { file: content }),
      () => theirs.containers.retrieve(made.id),
      () => theirs.containers.files.list(made.id),
      () => running(made.id, theirs),
    ])
      expect(await statusOf(refused())).toBe(404);
    const json = { file_id: foreign };
    expect((await post(hub(), who.key, json, `/v1/containers/${made.id}/files`)).status).toBe(404);
    const answer = await post(
      hub(),
      other.key,
      { model: MODEL, input: 'x', tools: [{ type: 'shell', environment: { type: 'x', container_id: made.id } }] },
      '/v1/responses',
    );
    expect([answer.status, errorOf(answer).code]).toEqual([404, 'container_not_found']);
  });

  test('a container that a tool made can be read by the caller of the tool alone', async () => {
    const client = clientOf(hub(), who.key);
    const { output } = await client.responses.create({ model: MODEL, input: 'draw' });
    const { container_id: id } = output[0] as { container_id: string };
    expect(await (await client.containers.files.content.retrieve('cf_a', { container_id: id })).text()).toBe('chart');
    const theirs = clientOf(hub(), other.key);
    expect(await statusOf(theirs.containers.files.content.retrieve('cf_a', { container_id: id }))).toBe(404);
    expect((await client.containers.list()).data).toEqual([]);
  });

  test('at the end of the paid time, an object is gone for its owner and deleted at its provider', async () => {
    const client = clientOf(hub(), who.key);
    const { id } = await client.vectorStores.create({});
    const { now } = deps();
    const end = () =>
      db().updateTable('upstream_objects').set({ expires_at: now() }).where('object_id', '=', id).execute();
    await end();
    expect(await statusOf(client.vectorStores.retrieve(id))).toBe(404);
    expect(await statusOf(searching(id, client))).toBe(404);
    fails = true;
    await pruneObjects(db(), now());
    await removeExpiredObjects(deps());
    const rows = () => db().selectFrom('upstream_objects').where('object_id', '=', id).selectAll().execute();
    expect(await rows()).toHaveLength(1);
    fails = false;
    raw().requests.length = 0;
    await removeExpiredObjects(deps());
    const [request] = raw().requests;
    expect([request!.url, request!.headers.authorization]).toEqual([`/v1/vector_stores/${id}`, kept.get(id)]);
    expect(await rows()).toEqual([]);
  });

  test('a key that names a channel reaches its account free of charge', async () => {
    const { key } = await addToken(hub());
    expect(await statusOf(clientOf(hub(), `${key}#${channelId}`).vectorStores.create({ name: 'a' }))).toBe(200);
    expect(await statusOf(clientOf(hub(), `${key}#${channelId}`).containers.list())).toBe(200);
  });

  test('skills belong to their creator, and messages load only those', async () => {
    const clientFor = ({ key }: TestCaller) => new Anthropic({ apiKey: key, baseURL: hub().url, maxRetries: 0 });
    const [client, theirs] = [clientFor(who), clientFor(other)];
    const files = [await toAnthropicFile(Buffer.from('---\nname: a\n---'), 'a/SKILL.md')];
    const skill = await client.beta.skills.create({ files });
    expect(kept.get(skill.id)).toBe('key-c-000000');
    expect((await client.beta.skills.list()).data).toMatchObject([{ id: skill.id }]);
    expect(await statusOf(client.beta.skills.versions.create(skill.id, { files }))).toBe(200);
    const load = (from: Anthropic, type: 'custom' | 'anthropic', skill_id: string) =>
      from.beta.messages.create({
        model: 'claude-sonnet-4-5',
        max_tokens: 10,
        messages: [{ role: 'user', content: 'x' }],
        container: { skills: [{ type, skill_id, version: 'latest' }] },
      });
    expect(await statusOf(load(client, 'custom', skill.id))).toBe(200);
    expect(await statusOf(load(theirs, 'anthropic', 'xlsx'))).toBe(200);
    expect((await theirs.beta.skills.list()).data).toEqual([]);
    const sent = raw().requests.length;
    for (const refused of [
      () => theirs.beta.skills.retrieve(skill.id),
      () => theirs.beta.skills.delete(skill.id),
      () => theirs.beta.skills.versions.list(skill.id),
      () => theirs.beta.skills.versions.create(skill.id, { files }),
      () => load(theirs, 'custom', skill.id),
    ])
      expect(await statusOf(refused())).toBe(404);
    expect(raw().requests).toHaveLength(sent);
    expect(errorOf(await post(hub(), who.key, {}, '/v1/skills')).code).toBe('unknown_url');
    await client.beta.skills.delete(skill.id);
    expect((await client.beta.skills.list()).data).toEqual([]);
  });
});
