import { type InputOf, optionApi, priceApi, routeApi, type tokenApi } from '@relay-hub/contract';
import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addCaller, addKey, rowsOf, type TestCaller } from '#testing/callers.ts';
import { lastLog } from '#testing/chat.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, addToken, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { errorOf, hello, post } from '#testing/relay-calls.ts';

type TokenBody = InputOf<typeof tokenApi.create>['body'];

onOneDatabase('wishes about providers', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const live = () => hub().server.deps.live;
  const ids = new Map<string, number>();
  let who: TestCaller;

  const set = (value: boolean) =>
    hub().root.call(optionApi.set, { body: { key: 'ProviderWishes', value: String(value) } });

  beforeAll(async () => {
    const price = { type: 'tokens', channel_type: 1 } as const;
    for (const [model, input, output] of [
      ['wished', 1, 4],
      ['dear-one', 3, 12],
      ['real:floor', 1, 1],
    ] as const)
      await hub().root.call(priceApi.create, { body: { ...price, model, input, output } });
    const models = { models: 'wished,real:floor' };
    for (const [name, more] of [
      ['eu', { public_name: 'Mistral AI', region: 'eu', data_policy: 'deny', quantization: 'bf16' }],
      ['us', { public_name: 'Fast Host', region: 'us', data_policy: 'allow', quantization: 'fp8' }],
      ['dear', { model_mapping: '{"wished":"dear-one"}' }],
      ['spare', { priority: 0, public_name: 'Spare' }],
      ['of another group', { group: 'vip', public_name: 'Secret', models: 'wished' }],
    ] as const)
      ids.set(name, await addChannel(hub(), upstream().url, { name, priority: 1, ...models, ...more }));
    await set(true);
  });
  beforeEach(async () => {
    who = await addCaller(hub().server.deps.db);
  });

  /** Names of the channels that calls with these wishes can get. */
  const served = async (provider: object, model = 'wished') => {
    const { candidates } = await hub().root.call(routeApi.explain, { body: { model, provider } });
    return candidates
      .filter(({ share }) => share > 0)
      .map(({ channel_name }) => channel_name)
      .toSorted();
  };

  test.each<[object, string[]]>([
    [{}, ['dear', 'eu', 'us']],
    [{ only: ['mistral-ai'] }, ['eu']],
    [{ only: ['Mistral AI', 'fasthost'] }, ['eu', 'us']],
    [{ ignore: ['fast host'] }, ['dear', 'eu']],
    [{ order: ['fast-host', 'mistral-ai'] }, ['us']],
    [{ order: ['nobody', 'mistral-ai'] }, ['eu']],
    [{ order: ['nobody'], allow_fallbacks: true }, ['dear', 'eu', 'us']],
    [{ order: ['nobody'], allow_fallbacks: false }, []],
    [{ data_collection: 'deny' }, ['eu']],
    [{ data_collection: 'allow' }, ['dear', 'eu', 'us']],
    [{ quantizations: ['FP8', 'int4'] }, ['us']],
    [{ region: ['eu'] }, ['eu']],
    [{ max_price: { prompt: 2, completion: '8' } }, ['eu', 'us']],
    [{ max_price: { prompt: 0.5 } }, []],
    [{ sort: 'price' }, ['eu', 'us']],
    [{ only: ['spare'] }, ['spare']],
    [{ only: ['secret'] }, []],
  ])('%j leads to %j', async (provider, names) => {
    expect(await served(provider)).toEqual(names);
    const answer = await post(hub(), who.key, { ...hello, model: 'wished', provider });
    expect(answer.status).toBe(names.length > 0 ? 200 : 404);
    if (names.length === 0) return expect(errorOf(answer)).toMatchObject({ param: 'provider' });
    // The upstream of a call never sees the wishes.
    expect(upstream().requests.at(-1)?.body).not.toContain('provider');
    const [row] = await rowsOf(hub().server.deps.db, who);
    expect(names).toContain(row?.metadata?.attempts?.[0]?.channel_name);
    expect(row?.metadata?.wishes).toEqual(provider);
  });

  test.each<[object | string, string]>([
    ['cheap', 'provider'],
    [{ only: 'openai' }, 'provider.only'],
    [{ sort: 'beauty' }, 'provider.sort'],
    [{ data_collection: 'maybe' }, 'provider.data_collection'],
    [{ max_price: { prompt: -1 } }, 'provider.max_price.prompt'],
    [{ max_price: { image: 1 } }, 'provider.max_price.image'],
    [{ zdr: true }, 'provider.zdr'],
  ])('%j is refused with its field, and nothing is sent', async (provider, param) => {
    const before = upstream().requests.total;
    const refused = await post(hub(), who.key, { ...hello, model: 'wished', provider });
    expect(refused.status).toBe(400);
    expect(errorOf(refused)).toMatchObject({ param });
    expect(upstream().requests.total).toBe(before);
  });

  test.each([
    ['/v1/chat/completions', hello],
    ['/v1/responses', { input: 'hello' }],
    ['/claude/v1/messages', { ...hello, max_tokens: 20 }],
  ])('hold in %s, and end with a failure that no other channel may cover', async (path, body) => {
    const ask = { ...body, model: 'wished', provider: { only: ['mistral-ai'] } };
    expect((await post(hub(), who.key, ask, path)).status).toBe(200);
    upstream().behaviour = { status: 500 };
    const before = upstream().requests.total;
    try {
      expect((await post(hub(), who.key, ask, path)).status).toBeGreaterThanOrEqual(500);
      expect(upstream().requests.total - before).toBeLessThanOrEqual(2);
    } finally {
      upstream().behaviour = {};
      for (const id of ids.values()) live().health.forget(id);
    }
    for (const { metadata } of await rowsOf(hub().server.deps.db, who))
      for (const { channel_name } of metadata?.attempts ?? []) expect(channel_name).toBe('eu');
  });

  test('come before the preference of the site, which the row names otherwise', async () => {
    const prefer = (value: string) => hub().root.call(optionApi.set, { body: { key: 'ChannelPreference', value } });
    await prefer('cost');
    try {
      for (const [at, provider] of [undefined, { only: ['mistral-ai'] }, { order: ['fast-host'] }].entries()) {
        // Each in its own conversation.
        const messages = [{ role: 'user', content: `preference ${at}` }];
        expect((await post(hub(), who.key, { model: 'wished', messages, provider })).status).toBe(200);
      }
    } finally {
      await prefer('weight');
    }
    const rows = await rowsOf(hub().server.deps.db, who);
    expect(rows.map(({ metadata }) => metadata?.attempts?.[0]?.preferred)).toEqual(['cost', 'cost', undefined]);
    expect(rows[2]?.metadata?.attempts?.[0]?.channel_name).toBe('us');
  });

  describe('a suffix', () => {
    test('wishes an order, unless a model is really called so', async () => {
      for (const model of ['wished:floor', 'wished:nitro', 'real:floor'])
        expect((await post(hub(), who.key, { ...hello, model })).status).toBe(200);
      const rows = (await rowsOf(hub().server.deps.db, who)).map(({ metadata }) => metadata);
      expect(rows).toMatchObject([
        { requested_model: 'wished:floor', wishes: { sort: 'price' } },
        { requested_model: 'wished:nitro', wishes: { sort: 'throughput' } },
        {},
      ]);
      expect(rows[2]?.wishes).toBeUndefined();
    });

    test('leads to the fastest channel once all are measured', async () => {
      for (let i = 0; i < 4; i++)
        for (const [name, ms] of [
          ['eu', 900],
          ['us', 100],
          ['dear', 500],
        ] as const)
          live().speeds.note(ids.get(name)!, name === 'dear' ? 'dear-one' : 'wished', { firstMs: ms, ms, tokens: 100 });
      expect(await served({ sort: 'latency' })).toEqual(['us']);
      expect(await served({ sort: 'throughput', ignore: ['fast-host'] })).toEqual(['dear']);
    });
  });

  describe('require_parameters', () => {
    beforeAll(async () => {
      const more = { models: 'mixed', priority: 5 };
      await addChannel(hub(), upstream().url, {
        ...more,
        name: 'converts',
        type: 14,
        weight: 100,
        public_name: 'Converts',
      });
      await addChannel(hub(), upstream().url, { ...more, name: 'passes', public_name: 'Passes' });
      await hub().root.call(priceApi.create, {
        body: { model: 'mixed', type: 'tokens', channel_type: 1, input: 1, output: 1 },
      });
    });
    const ask = { ...hello, model: 'mixed' };
    const seeded = { ...ask, logit_bias: { 7: -1 } };

    test.each<[body: object, provider: object, leadsTo: string]>([
      [ask, { only: ['converts'], require_parameters: true }, 'converts'],
      [seeded, { require_parameters: true }, 'passes'],
      [seeded, { require_parameters: true, order: ['converts'] }, 'passes'],
      [seeded, { only: ['converts'] }, 'converts'],
    ])('%j with %j leads to %s', async (body, provider, leadsTo) => {
      const answer = await post(hub(), who.key, { ...body, provider });
      const isDropped = 'logit_bias' in body && leadsTo === 'converts';
      expect(answer.headers.get('x-relay-dropped')).toBe(isDropped ? 'logit_bias' : null);
      const [row] = await rowsOf(hub().server.deps.db, who);
      expect(row?.metadata?.attempts?.map(({ channel_name }) => channel_name)).toEqual([leadsTo]);
    });

    test('is refused with the dropped field if no channel takes it, also for a token', async () => {
      const before = upstream().requests.total;
      const provider = { only: ['converts'], require_parameters: true };
      const { key } = await addToken(hub(), { limits: { provider } });
      for (const [from, body] of [
        [who.key, { ...seeded, provider }],
        [key, seeded],
      ] as const) {
        const refused = await post(hub(), from, body);
        expect(refused.status).toBe(400);
        expect(errorOf(refused)).toMatchObject({ param: 'logit_bias' });
      }
      expect(upstream().requests.total).toBe(before);
    });
  });

  describe('of a token', () => {
    const limited = (provider: NonNullable<NonNullable<TokenBody['limits']>['provider']>) =>
      addToken(hub(), { limits: { provider } });

    test.each<[provider: Parameters<typeof limited>[0], asked: object | undefined, names: string[], status: number]>([
      [{ only: ['mistral-ai'] }, undefined, ['eu'], 200],
      [{ only: ['mistral-ai'] }, { only: ['fast-host'] }, [], 404],
      [{ ignore: ['fast-host'] }, { only: ['fast-host', 'mistral-ai'] }, ['eu'], 200],
      [{ data_collection: 'deny' }, { data_collection: 'allow' }, ['eu'], 200],
      [{ region: ['eu', 'us'] }, { ignore: ['mistral-ai'] }, ['us'], 200],
      [{ max_price: { prompt: 2 } }, { max_price: { prompt: 100 } }, ['eu', 'us'], 200],
      [{ max_price: { prompt: 0.1 } }, undefined, [], 403],
      [{ region: ['cn'] }, undefined, [], 403],
      [{ order: ['fast-host'] }, undefined, ['us'], 200],
      [{ order: ['fast-host'] }, { order: ['mistral-ai'] }, ['eu'], 200],
      [{ order: ['fast-host'], allow_fallbacks: false }, { order: ['mistral-ai'] }, ['us'], 200],
      [{ sort: 'price' }, { ignore: ['fast-host'] }, ['eu'], 200],
    ])('%j with %j leads to %j', async (provider, asked, names, status) => {
      const { id, key } = await limited(provider);
      const { candidates } = await hub().root.call(routeApi.explain, {
        body: { model: 'wished', token_id: id, ...(asked && { provider: asked }) },
      });
      const found = candidates.filter(({ share }) => share > 0).map(({ channel_name }) => channel_name);
      expect(found.toSorted()).toEqual(names);
      const answer = await post(hub(), key, { ...hello, model: 'wished', ...(asked && { provider: asked }) });
      expect(answer.status).toBe(status);
      if (status !== 200)
        return expect(errorOf(answer).code).toBe(status === 403 ? 'provider_forbidden' : 'no_provider_meets_wishes');
      const { metadata } = await lastLog(hub());
      expect(names).toContain(metadata?.attempts?.[0]?.channel_name);
      expect(metadata?.provider_limits).toEqual(provider);
    });

    test('hold in every kind of call, also with the wishes of calls switched off', async () => {
      const { key } = await limited({ only: ['nobody'] });
      await set(false);
      try {
        for (const [path, body] of [
          ['/v1/chat/completions', hello],
          ['/claude/v1/messages', { ...hello, max_tokens: 20 }],
          ['/v1/embeddings', { input: 'hello' }],
          ['/v1/images/generations', { prompt: 'hello' }],
          ['/v1/videos', { prompt: 'hello' }],
        ] as const) {
          const refused = await post(hub(), key, { ...body, model: 'wished' }, path);
          expect([path, refused.status]).toEqual([path, 403]);
        }
        const form = new FormData();
        form.set('purpose', 'batch');
        form.set('file', new Blob(['{}']), 'in.jsonl');
        const uploaded = await fetch(`${hub().url}/v1/files`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}` },
          body: form,
        });
        expect([uploaded.status, await uploaded.text()]).toEqual([404, expect.stringContaining('files_not_available')]);
      } finally {
        await set(true);
      }
    });
  });

  test('off, the field reaches the upstream as before, and suffixes are part of the name', async () => {
    await set(false);
    try {
      expect((await post(hub(), who.key, { ...hello, model: 'wished', provider: { only: ['x'] } })).status).toBe(200);
      expect(upstream().requests.at(-1)?.body).toContain('"provider":{"only":["x"]}');
      expect((await post(hub(), who.key, { ...hello, model: 'wished:floor' })).status).toBe(404);
    } finally {
      await set(true);
    }
  });

  test('never lead to a channel of another group, whatever they are', async () => {
    const named = fc.uniqueArray(fc.constantFrom('mistral-ai', 'fast-host', 'spare', 'secret', 'nobody'), {
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.record(
          { order: named, only: named, ignore: named, sort: fc.constantFrom('price', 'latency') },
          { requiredKeys: [] },
        ),
        async (provider) => {
          expect(await served(provider)).not.toContain('of another group');
        },
      ),
      { numRuns: 30 },
    );
    const key = await addKey(hub().server.deps.db, who.userId);
    expect((await post(hub(), key.key, { ...hello, model: 'wished', provider: { only: ['secret'] } })).status).toBe(
      404,
    );
  });
});
