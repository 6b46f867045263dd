import type { InputOf, Price, PriceEdit, PriceInput } from '@relay-hub/contract';
import { priceApi, priceChangeApi } from '@relay-hub/contract';
import { beforeAll, expect, test } from 'vitest';
import { chat, lastLog } from '#testing/chat.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, addToken, ApiClient, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { addPerson } from '#testing/people.ts';

const terms = { type: 'tokens', channel_type: 1, input: 2, output: 4 } as const;

onEveryDatabase('prices of several models', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  let key: string;

  beforeAll(async () => {
    ({ key } = await addToken(hub()));
    await addChannel(hub(), upstream().url, { models: 'batch-*' });
  });

  const inForce = async (start: string): Promise<Record<string, Price>> => {
    const all = await hub().root.call(priceApi.list);
    return Object.fromEntries(
      all.filter(({ model }) => model.startsWith(start)).map((each) => [each.model, each as Price]),
    );
  };
  const inputs = async (start: string) =>
    Object.fromEntries(Object.entries(await inForce(start)).map(([model, { input }]) => [model, input]));
  const set = (models: Record<string, number>, more: Partial<Omit<PriceInput, 'model'>> = {}) =>
    hub().root.call(priceApi.setMany, {
      body: { prices: Object.entries(models).map(([model, input]) => ({ ...terms, ...more, model, input })) },
    });
  const group = (body: InputOf<typeof priceApi.setGroup>['body']) => hub().root.try(priceApi.setGroup, { body });
  const undo = (id: number) => hub().root.try(priceChangeApi.undo, { params: { id } });

  test('are set in one step, each its own', async () => {
    await set({ 'batch-a1': 1 });
    const change = await set({ 'batch-a1': 3, 'batch-a2': 5 });
    expect(change).toMatchObject({ kind: 'edit', actor: 'root', added: 1, changed: 1, dropped: 0, undone: false });
    expect(await inputs('batch-a')).toEqual({ 'batch-a1': 3, 'batch-a2': 5 });
    expect(change?.version).toBe(Math.max(...Object.values(await inForce('batch-a')).map(({ version }) => version)));
    await chat(hub(), key, 'batch-a2');
    expect((await lastLog(hub())).metadata).toMatchObject({ input_ratio: 5 });
  });

  test('that say what they said already stay as they are', async () => {
    await set({ 'batch-same': 1 });
    const before = await inForce('batch-same');
    expect(await set({ 'batch-same': 1 })).toBeNull();
    const { root } = hub();
    const body = { model: 'batch-same', ...terms, input: 1, extra_ratios: {} };
    expect(await root.call(priceApi.update, { params: { model: 'batch-same' }, body })).toEqual(before['batch-same']);
    expect(await inForce('batch-same')).toEqual(before);
  });

  test('keep their multiples when a client does not send any, and lose them when it sends none', async () => {
    const { root } = hub();
    await set({ 'batch-x': 1 }, { extra_ratios: { cached_tokens_ratio: 0.1 } });
    const params = { model: 'batch-x' };
    await root.call(priceApi.update, { params, body: { model: 'batch-x', ...terms, input: 9 } });
    expect((await inForce('batch-x'))['batch-x']).toMatchObject({ extra_ratios: { cached_tokens_ratio: 0.1 } });
    await root.call(priceApi.update, { params, body: { model: 'batch-xy', ...terms, input: 9 } });
    expect((await inForce('batch-xy'))['batch-xy']).toMatchObject({ extra_ratios: { cached_tokens_ratio: 0.1 } });
    await set({ 'batch-xy': 9 }, { extra_ratios: {} });
    expect((await inForce('batch-xy'))['batch-xy']).not.toHaveProperty('extra_ratios');
  });

  test('change, come and go as one group', async () => {
    await set({ 'batch-g1': 1, 'batch-g2': 1 });
    const price = { ...terms, input: 7, model: 'batch' };
    const body = { original_models: ['batch-g1', 'batch-g2'], models: ['batch-g2', 'batch-g3'], price };
    expect(await hub().root.call(priceApi.setGroup, { body })).toMatchObject({ added: 1, changed: 1, dropped: 1 });
    expect(await inputs('batch-g')).toEqual({ 'batch-g2': 7, 'batch-g3': 7 });
  });

  test('a group takes no model of another, and then nothing at all changes', async () => {
    await set({ 'batch-h1': 1, 'batch-h2': 2 });
    const answer = await group({
      original_models: ['batch-h1'],
      models: ['batch-h1', 'batch-h2'],
      price: { ...terms, input: 8 },
    });
    expect(answer).toMatchObject({ status: 409, body: { code: 'record.exists', field: 'models' } });
    expect(await inputs('batch-h')).toEqual({ 'batch-h1': 1, 'batch-h2': 2 });
  });

  test('a group is changed from the versions that its editor saw, or not at all', async () => {
    await set({ 'batch-k1': 1, 'batch-k2': 1 });
    const models = ['batch-k1', 'batch-k2'];
    const versions = Object.values(await inForce('batch-k')).map(({ version }) => version);
    const edit = (input: number) => group({ original_models: models, models, versions, price: { ...terms, input } });
    const answers = await Promise.all([edit(5), edit(6)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'price.changed_meanwhile' });
    const [first, second] = Object.values(await inputs('batch-k'));
    expect(first).toBe(second);
  });

  test('are listed with those of equal terms together', async () => {
    const own = { channel_type: 77 };
    await set({ 'batch-l1': 6, 'batch-l2': 6, 'batch-l3': 8 }, own);
    const groups = await hub().root.call(priceApi.groups);
    expect(groups.filter(({ channel_type: owner }) => owner === 77)).toEqual([
      { ...terms, ...own, input: 6, models: ['batch-l1', 'batch-l2'] },
      { ...terms, ...own, input: 8, models: ['batch-l3'] },
    ]);
  });

  test.each<[why: string, body: unknown, field: string]>([
    [
      'a row below 0',
      {
        prices: [
          { ...terms, model: 'ok' },
          { ...terms, model: 'bad', input: -1 },
        ],
      },
      'prices.1.input',
    ],
    [
      'a model twice',
      {
        prices: [
          { ...terms, model: 'twice' },
          { ...terms, model: 'twice', input: 9 },
        ],
      },
      'prices',
    ],
    ['nothing', { prices: [] }, 'prices'],
    ['a star in front', { prices: [{ ...terms, model: '*x' }] }, 'prices.0.model'],
  ])('%s is refused, by its name', async (_, body, field) => {
    expect(await hub().root.send('PUT', '/api/prices/multiple', body)).toMatchObject({
      status: 400,
      body: { code: 'input.invalid', field },
    });
    expect(await inForce('ok')).toEqual({});
  });

  test('are deleted together or not at all, and undone together', async () => {
    await set({ 'batch-d1': 1, 'batch-d2': 2 });
    const remove = (models: string[]) => hub().root.try(priceApi.removeMany, { body: { models } });
    expect(await remove(['batch-d1', 'batch-none'])).toMatchObject({ status: 404, body: { field: 'models' } });
    expect(await inputs('batch-d')).toEqual({ 'batch-d1': 1, 'batch-d2': 2 });
    const change = await hub().root.call(priceApi.removeMany, { body: { models: ['batch-d1', 'batch-d2'] } });
    expect(change).toMatchObject({ dropped: 2, version: 0 });
    expect(await inputs('batch-d')).toEqual({});
    expect((await chat(hub(), key, 'batch-d1')).status).toBe(400);
    expect(await hub().root.call(priceChangeApi.undo, { params: { id: change!.id } })).toMatchObject({
      kind: 'undo',
      added: 2,
    });
    expect(await inputs('batch-d')).toEqual({ 'batch-d1': 1, 'batch-d2': 2 });
    expect((await chat(hub(), key, 'batch-d1')).status).toBe(200);
  });

  test('are put back as they were unless one was changed again, which is then named', async () => {
    await set({ 'batch-u1': 1, 'batch-u2': 2 });
    const change = await set({ 'batch-u1': 10, 'batch-u2': 20, 'batch-u3': 30 });
    await set({ 'batch-u2': 21, 'batch-elsewhere': 1 });
    const refused = await undo(change!.id);
    expect(refused).toMatchObject({ status: 409, body: { code: 'price.edited_since' } });
    expect(refused.body.message).toContain('batch-u2');
    expect(refused.body.message).not.toContain('batch-u1');
    expect(await inputs('batch-u')).toEqual({ 'batch-u1': 10, 'batch-u2': 21, 'batch-u3': 30 });

    const later = await set({ 'batch-u1': 11, 'batch-u4': 40 });
    await set({ 'batch-elsewhere': 2 });
    expect((await undo(later!.id)).status).toBe(200);
    expect(await inputs('batch-u')).toEqual({ 'batch-u1': 10, 'batch-u2': 21, 'batch-u3': 30 });
    expect(await undo(later!.id)).toMatchObject({ status: 409, body: { code: 'price.undone' } });
    expect(await undo(987_654)).toMatchObject({ status: 404 });
  });

  test('a rename is undone, unless the old name was given away', async () => {
    const { root } = hub();
    await set({ 'batch-r1': 1 });
    const rename = (from: string, to: string) =>
      root.call(priceApi.update, { params: { model: from }, body: { ...terms, input: 1, model: to } });
    const newest = async () => (await root.call(priceChangeApi.list, { query: { size: 1 } })).data[0]!;
    await rename('batch-r1', 'batch-r2');
    const change = await newest();
    await set({ 'batch-r1': 5 });
    expect(await undo(change.id)).toMatchObject({ status: 409, body: { code: 'price.edited_since' } });
    await root.call(priceApi.remove, { params: { model: 'batch-r1' } });
    expect((await undo(change.id)).status).toBe(200);
    expect(await inputs('batch-r')).toEqual({ 'batch-r1': 1 });
  });

  test('every version has its period and its author', async () => {
    const { root, url } = hub();
    const admin = await addPerson(hub(), { role: 10 });
    await admin.client.call(priceApi.create, { body: { model: 'batch-v', ...terms } });
    await chat(hub(), key, 'batch-v');
    const charged = (await lastLog(hub())).metadata?.price_version;
    await root.call(priceApi.update, { params: { model: 'batch-v' }, body: { model: 'batch-v', ...terms, input: 3 } });
    await root.call(priceApi.remove, { params: { model: 'batch-v' } });
    const versions = await root.call(priceApi.history, { params: { model: 'batch-v' } });
    expect(versions).toMatchObject([
      { input: 3, actor: 'root', source: 'own', valid_to: expect.any(Number) },
      { input: 2, actor: admin.username, version: charged, valid_to: expect.any(Number) },
    ]);
    const { client: reader } = await addPerson(hub());
    const version = await reader.call(priceApi.version, { params: { version: charged! } });
    expect(version).toMatchObject({ model: 'batch-v', input: 2, valid_to: expect.any(Number) });
    expect(version).not.toHaveProperty('actor');
    expect((await new ApiClient(url).try(priceApi.version, { params: { version: charged! } })).status).toBe(401);
    expect((await root.try(priceApi.version, { params: { version: 987_654 } })).status).toBe(404);
    const builtIn = await root.call(priceApi.history, { params: { model: 'gpt-4o' } });
    expect(builtIn).toMatchObject([{ source: 'built_in', actor: '', change_id: null, valid_to: null }]);
  });

  test('models of enabled channels without a price are listed by the name that is charged', async () => {
    const { root } = hub();
    await addChannel(hub(), upstream().url, {
      models: 'gpt-4o,mapped,plus,lonely,wild-*,batch-z',
      model_mapping: JSON.stringify({ mapped: 'gpt-4o', plus: '+gpt-4o', 'batch-z': 'lonely' }),
    });
    await addChannel(hub(), upstream().url, { models: 'asleep', status: 2 });
    const unpriced = async () => (await root.call(priceApi.unpriced)).map(({ model }) => model).toSorted();
    expect(await unpriced()).toEqual(['batch-*', 'lonely', 'plus', 'wild-*']);
    await set({ 'wild-*': 1, lonely: 1 });
    expect(await unpriced()).toEqual(['batch-*', 'plus']);
    const available = await new ApiClient(hub().url).call(priceApi.available);
    expect(available['mapped']?.price).toMatchObject({ model: 'gpt-4o', input: 1.25, version: expect.any(Number) });
    expect(available).not.toHaveProperty('plus');
    for (const { price } of Object.values(available)) expect(price).not.toBeNull();
    expect(available['wild-*']?.price).toMatchObject({ input: 1 });
  });

  test('prices of models that are sold are listed where a fee is missing or their holidays end', async () => {
    const { root } = hub();
    const gaps = () => root.call(priceApi.gaps);
    await addChannel(hub(), upstream().url, { models: 'gpt-4.1,holiday-model,deepseek-flash', model_mapping: '{}' });
    const other = { type: 'tokens', channel_type: 1, input: 1, output: 1 } as const;
    const holidays = (date: string) => [
      { zone: 'UTC', days: [1], except: [date], effect: 'multiply' as const, input: 2, output: 2 },
    ];
    const far = new Date((hub().server.deps.now() + 100 * 86_400) * 1000).toISOString().slice(0, 10);
    await root.call(priceApi.create, { body: { ...other, model: 'holiday-model', rules: holidays('2026-10-07') } });
    await root.call(priceApi.update, { params: { model: 'gpt-4.1' }, body: { ...other, model: 'gpt-4.1', fees: [] } });
    const found = async () => Object.fromEntries((await gaps()).map(({ model, ...gap }) => [model, gap]));
    expect(await found()).toMatchObject({
      'gpt-4.1': { fees: expect.arrayContaining(['web_search', 'file_search']) },
      'holiday-model': { fees: [], ends: '2026-10-07' },
    });
    const renewed = { ...other, model: 'holiday-model', rules: holidays(far) };
    await root.call(priceApi.update, { params: { model: 'holiday-model' }, body: renewed });
    expect(await found()).not.toHaveProperty('holiday-model');
  });

  test('a model that channels send on as different ones is shown at the dearest of their prices', async () => {
    for (const target of ['gpt-4o', 'gpt-4', 'gpt-4o-mini'])
      await addChannel(hub(), upstream().url, {
        models: 'many-faces',
        model_mapping: JSON.stringify({ 'many-faces': target }),
      });
    const available = await new ApiClient(hub().url).call(priceApi.available);
    expect(available['many-faces']?.price).toMatchObject({ model: 'gpt-4' });
  });

  test('anyone’s page may read the public lists', async () => {
    for (const path of ['/api/prices', '/api/available_model'])
      expect((await new ApiClient(hub().url).send('GET', path)).headers.get('access-control-allow-origin')).toBe('*');
    expect((await hub().root.send('GET', '/api/prices/unpriced')).headers.has('access-control-allow-origin')).toBe(
      false,
    );
  });

  test('a browser tool may ask before it adds headers to the public lists', async () => {
    for (const path of ['/api/prices', '/api/available_model']) {
      const asked = await fetch(hub().url + path, { method: 'OPTIONS' });
      expect(asked.status).toBe(204);
      expect(asked.headers.get('access-control-allow-origin')).toBe('*');
      expect(asked.headers.get('access-control-allow-methods')).toContain('GET');
    }
    expect((await fetch(`${hub().url}/api/user/self`, { method: 'OPTIONS' })).status).toBe(404);
  });

  test('the old list of prices is an array without an envelope', async () => {
    const old: unknown = await (await fetch(`${hub().url}/api/prices?type=old`)).json();
    expect(old).toEqual(await new ApiClient(hub().url).call(priceApi.list));
  });

  test('of two admins who change the same version, the second learns that it has changed', async () => {
    const { root } = hub();
    const other = (await addPerson(hub(), { role: 10 })).client;
    await set({ 'batch-race': 1 });
    const { version } = (await inForce('batch-race'))['batch-race']!;
    const edit = (input: number): PriceEdit => ({ model: 'batch-race', ...terms, input, version });
    const outcomes = await Promise.all([
      root.try(priceApi.update, { params: { model: 'batch-race' }, body: edit(5) }),
      other.try(priceApi.update, { params: { model: 'batch-race' }, body: edit(6) }),
      root.try(priceApi.setMany, { body: { prices: [edit(7)] } }),
    ]);
    expect(outcomes.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    for (const { status, body } of outcomes)
      if (status === 409) expect(body).toMatchObject({ code: 'price.changed_meanwhile', field: 'version' });
  });

  test('twenty racing writes leave one price in force, and a history without a gap', async () => {
    const { root, server } = hub();
    const other = (await addPerson(hub(), { role: 10 })).client;
    const writes = Array.from({ length: 20 }, (_, i) => {
      const client = i % 2 === 0 ? root : other;
      const price = { model: 'batch-storm', ...terms, input: i + 1 };
      if (i % 5 === 4) return client.try(priceApi.remove, { params: { model: 'batch-storm' } });
      return client.try(priceApi.setMany, { body: { prices: [price] } });
    });
    const statuses = (await Promise.all(writes)).map(({ status }) => status);
    expect(statuses.every((status) => status === 200 || status === 404)).toBe(true);
    const rows = await server.deps.db
      .selectFrom('prices')
      .where('model', '=', 'batch-storm')
      .select(['version', 'valid_to', 'begun_by', 'ended_by'])
      .orderBy('version')
      .execute();
    const open = rows.filter((row) => row.valid_to === null);
    expect(open.length).toBeLessThanOrEqual(1);
    expect(rows.filter((row) => row.begun_by === null || (row.valid_to !== null) !== (row.ended_by !== null))).toEqual(
      [],
    );
    expect(Object.keys(await inForce('batch-storm'))).toHaveLength(open.length);
  });
});
