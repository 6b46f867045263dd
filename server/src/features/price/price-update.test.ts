import type { InputOf, Price, PricePreview } from '@relay-hub/contract';
import { priceApi, priceChangeApi, priceUpdateApi } from '@relay-hub/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { addPerson } from '#testing/people.ts';

const row = (model: string, input: number, more: object = {}) => ({
  model,
  type: 'tokens' as const,
  channel_type: 1,
  input,
  output: 2 * input,
  ...more,
});

onEveryDatabase('an update of prices from a list', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();

  const inForce = async (): Promise<Record<string, Pick<Price, 'input' | 'source'>>> => {
    const all = (await hub().root.call(priceApi.list)) as Price[];
    return Object.fromEntries(all.map(({ model, input, source }) => [model, { input, source }]));
  };
  const preview = (prices: unknown): Promise<PricePreview> =>
    hub().root.call(priceUpdateApi.preview, { body: { from: 'list', prices } });
  const apply = (body: InputOf<typeof priceUpdateApi.apply>['body']) => hub().root.try(priceUpdateApi.apply, { body });
  const applied = (body: InputOf<typeof priceUpdateApi.apply>['body']) =>
    hub().root.call(priceUpdateApi.apply, { body });
  const undone = (id: number) => hub().root.call(priceChangeApi.undo, { params: { id } });
  const undo = (id: number) => hub().root.try(priceChangeApi.undo, { params: { id } });
  const set = (...prices: ReturnType<typeof row>[]) => hub().root.call(priceApi.setMany, { body: { prices } });

  /** Only three own prices. */
  beforeEach(async () => {
    const { root } = hub();
    const models = Object.keys(await inForce());
    if (models.length > 0) await root.call(priceApi.removeMany, { body: { models } });
    await set(row('a', 1), row('b', 2), row('c', 3, { extra_ratios: { cached_tokens_ratio: 0.1 } }));
  });
  const start = {
    a: { input: 1, source: 'own' },
    b: { input: 2, source: 'own' },
    c: { input: 3, source: 'own' },
  };

  describe('is looked at first', () => {
    test('what it would change, add, drop and leave, and how far prices move', async () => {
      await addChannel(hub(), upstream().url, { models: 'b,new' });
      const found = await preview([row('a', 1.5), row('c', 3), row('new', 9)]);
      expect(found).toMatchObject({
        from: 'list',
        address: '',
        total: 3,
        own: 3,
        changed: [
          {
            model: 'a',
            before: row('a', 1),
            after: row('a', 1.5),
            source: 'own',
            factor: 1.5,
            jumps: [],
            served: false,
          },
        ],
        added: [
          { model: 'new', before: null, after: row('new', 9), source: null, factor: null, jumps: [], served: true },
        ],
        dropped: [{ model: 'b', before: row('b', 2), after: null, source: 'own', served: true }],
        // Without multiples, so the current ones stay.
        unchanged: ['c'],
        rejected: [],
      });
      expect(await inForce()).toEqual(start);
    });

    test('an invalid row is reported with number, name and field, and its model keeps its price', async () => {
      const found = await preview({
        data: [
          row('ok', 1),
          row('a', -1),
          row('b', 1, { type: 'minutes' }),
          row('*', 1),
          row('text', 1, { output: '1' }),
          row('huge', 1e9),
          row('twice', 1),
          row('twice', 2),
          row('same', 4),
          row('same', 4),
          'nonsense',
          row('extra', 1, { extra_ratios: { cached_tokens_ratio: null } }),
        ],
      });
      expect(found.rejected.map(({ row: at, model, field, kept }) => [at, model, field, kept])).toEqual([
        [2, 'a', 'input', true],
        [3, 'b', 'type', true],
        [4, '*', 'model', false],
        [5, 'text', 'output', false],
        [6, 'huge', 'input', false],
        [7, 'twice', 'model', false],
        [8, 'twice', 'model', false],
        [11, '', '', false],
        [12, 'extra', 'extra_ratios.cached_tokens_ratio', false],
      ]);
      expect(found.rejected.every(({ problem }) => problem !== '')).toBe(true);
      expect(found.added.map(({ model }) => model)).toEqual(['ok', 'same']);
      expect(found.dropped.map(({ model }) => model)).toEqual(['c']);
      await apply({ id: found.id, mode: 'overwrite' });
      expect(await inForce()).toEqual({
        a: start.a,
        b: start.b,
        ok: { input: 1, source: 'remote' },
        same: { input: 4, source: 'remote' },
      });
    });

    test.each<[string, unknown]>([
      ['a text', 'prices'],
      ['an object', { prices: [] }],
      ['nothing in it', []],
      ['no data', { data: {} }],
    ])('%s is no list', async (_, prices) => {
      const body = { from: 'list', prices } as const;
      expect(await hub().root.try(priceUpdateApi.preview, { body })).toMatchObject({
        status: 400,
        body: { code: 'price.source_format', field: 'prices' },
      });
    });

    test('names that later builds of the product family give to multiples are understood', async () => {
      const extra = { cached_tokens: 0.25, cached_write_tokens: 1.5, reasoning_tokens: 2, unheard_of: 9 };
      const found = await preview([row('named', 1, { extra_ratios: extra })]);
      expect(found.added[0]?.after?.extra_ratios).toEqual({
        cached_tokens_ratio: 0.25,
        cached_write_ratio: 1.5,
        reasoning_tokens_ratio: 2,
      });
    });
  });

  describe('is applied', () => {
    test('as a whole: own prices are replaced and dropped', async () => {
      const { id } = await preview([row('a', 1.5), row('new', 9)]);
      expect(await applied({ id, mode: 'overwrite' })).toMatchObject({
        kind: 'update',
        mode: 'overwrite',
        source: 'list',
        actor: 'root',
        added: 1,
        changed: 1,
        dropped: 2,
      });
      expect(await inForce()).toEqual({ a: { input: 1.5, source: 'remote' }, new: { input: 9, source: 'remote' } });
    });

    test('where nothing is yet: what there is stays', async () => {
      const { id } = await preview([row('a', 1.5), row('new', 9)]);
      expect(await applied({ id, mode: 'add' })).toMatchObject({ added: 1, changed: 0, dropped: 0 });
      expect(await inForce()).toEqual({ ...start, new: { input: 9, source: 'remote' } });
    });

    test('but for the models that are left out', async () => {
      const { id } = await preview([row('a', 1.5), row('b', 2.5), row('new', 9), row('newer', 9)]);
      await apply({ id, mode: 'overwrite', leave: ['a', 'c', 'newer'] });
      expect(await inForce()).toEqual({
        ...start,
        b: { input: 2.5, source: 'remote' },
        new: { input: 9, source: 'remote' },
      });
    });

    test('once', async () => {
      const { id } = await preview([row('a', 1.5)]);
      const answers = await Promise.all([apply({ id, mode: 'add' }), apply({ id, mode: 'overwrite' })]);
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
      expect(await apply({ id, mode: 'overwrite' })).toMatchObject({ body: { code: 'price.preview_gone' } });
      expect(await apply({ id: 'no-such-preview', mode: 'add' })).toMatchObject({ status: 409 });
    });

    test('not when prices were changed since it was looked at', async () => {
      const { id } = await preview([row('a', 1.5)]);
      await set(row('b', 2.1));
      const refused = { status: 409, body: { code: 'price.changed_meanwhile' } };
      expect(await apply({ id, mode: 'overwrite' })).toMatchObject(refused);
      expect(await inForce()).toEqual({ ...start, b: { input: 2.1, source: 'own' } });
      // Changing it back and forth still creates new versions.
      await set(row('b', 2));
      expect(await apply({ id, mode: 'overwrite' })).toMatchObject(refused);
    });

    test('by one of two admins who looked at the same prices', async () => {
      const other = (await addPerson(hub(), { role: 10 })).client;
      const [mine, theirs] = await Promise.all([
        preview([row('a', 1.5)]),
        other.call(priceUpdateApi.preview, { body: { from: 'list', prices: [row('a', 1.6)] } }),
      ]);
      const answers = await Promise.all([
        apply({ id: mine.id, mode: 'overwrite' }),
        other.try(priceUpdateApi.apply, { body: { id: theirs.id, mode: 'overwrite' } }),
      ]);
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
      expect(Object.keys(await inForce())).toEqual(['a']);
    });

    test('not after an hour', async () => {
      const { id } = await preview([row('a', 1.5)]);
      const { db, now } = hub().server.deps;
      await db
        .updateTable('price_previews')
        .set({ created_time: now() - 3601 })
        .where('id', '=', id)
        .execute();
      expect(await apply({ id, mode: 'add' })).toMatchObject({ body: { code: 'price.preview_gone' } });
      await preview([row('a', 1.5)]);
      expect(await db.selectFrom('price_previews').where('id', '=', id).selectAll().execute()).toEqual([]);
    });

    test('never with nothing but rejected rows, which would only drop prices', async () => {
      const { id } = await preview([row('x', -1)]);
      expect((await apply({ id, mode: 'overwrite' })).status).toBe(400);
      expect(await inForce()).toEqual(start);
    });
  });

  describe('that moves a price absurdly far', () => {
    test.each<[string, ReturnType<typeof row>, string[]]>([
      ['tenfold up', row('a', 10), ['input', 'output']],
      ['tenfold down', row('b', 0.2), ['input', 'output']],
      ['to zero', row('a', 1, { output: 0 }), ['output']],
      ['to another type', row('a', 1, { type: 'times' }), ['type']],
      ['in what the cache costs', row('c', 3, { extra_ratios: { cached_tokens_ratio: 1 } }), ['cached_tokens_ratio']],
    ])('%s is done only where it is confirmed', async (_, jump, jumps) => {
      const list = [row('a', 1.1), row('b', 2.1), row('c', 3.1), row('d', 1)].map((each) =>
        each.model === jump.model ? jump : each,
      );
      const found = await preview(list);
      expect(found.changed.filter((each) => each.jumps.length > 0)).toMatchObject([{ model: jump.model, jumps }]);
      const refused = await apply({ id: found.id, mode: 'overwrite' });
      expect(refused).toMatchObject({ status: 409, body: { code: 'price.jump', field: 'confirmed' } });
      expect(refused.body.message).toContain(jump.model);
      expect(await inForce()).toEqual(start);
      // The preview is still valid.
      expect(await applied({ id: found.id, mode: 'overwrite', confirmed: [jump.model] })).toMatchObject({
        added: 1,
        changed: 3,
      });
    });

    test('can be left out, and is of no matter to one that only adds', async () => {
      const list = [row('a', 1000), row('b', 2), row('c', 3), row('d', 1)];
      const left = await preview(list);
      expect(await applied({ id: left.id, mode: 'overwrite', leave: ['a'] })).toMatchObject({ added: 1 });
      const adding = await preview([...list, row('e', 5)]);
      expect(await applied({ id: adding.id, mode: 'add' })).toMatchObject({ added: 1 });
      expect(await inForce()).toMatchObject({ a: { input: 1 }, d: { input: 1 }, e: { input: 5 } });
    });

    test('is also one when a new name is compared with the wildcard that applied to it', async () => {
      await set(row('wild-*', 5));
      const found = await preview([row('wild-a', 0), row('wild-b', 6), row('other', 0)]);
      expect(found.added.map(({ model, jumps }) => [model, jumps.length > 0])).toEqual([
        ['wild-a', true],
        ['wild-b', false],
        ['other', false],
      ]);
      expect(await apply({ id: found.id, mode: 'add' })).toMatchObject({ status: 409, body: { code: 'price.jump' } });
    });
  });

  describe('is undone', () => {
    test('with every price as it was, as new versions', async () => {
      const before = (await hub().root.call(priceApi.list)) as Price[];
      const { id } = await preview([row('a', 1.5), row('c', 3, { extra_ratios: {} }), row('new', 9)]);
      const change = await applied({ id, mode: 'overwrite', confirmed: ['c'] });
      expect(await undone(change!.id)).toMatchObject({ kind: 'undo', added: 1, changed: 2, dropped: 1 });
      const after = (await hub().root.call(priceApi.list)) as Price[];
      const terms = ({ version: _version, valid_from: _from, ...rest }: Price) => rest;
      expect(after.map(terms)).toEqual(before.map(terms));
      expect(Math.min(...after.map(({ version }) => version))).toBeGreaterThan(change!.version);
      const { data } = await hub().root.call(priceChangeApi.list, { query: { kind: 'update', size: 1 } });
      expect(data).toMatchObject([{ id: change!.id, undone: true }]);
    });

    test('unless one of its prices was changed since; what else was done stays', async () => {
      const { id } = await preview([row('a', 1.5), row('new', 9)]);
      const change = await applied({ id, mode: 'overwrite' });
      await set(row('elsewhere', 1));
      await set(row('b', 7));
      const refused = await undo(change!.id);
      expect(refused).toMatchObject({ status: 409, body: { code: 'price.edited_since' } });
      expect(refused.body.message).toMatch(/: b$/);
      await hub().root.call(priceApi.remove, { params: { model: 'b' } });
      expect((await undo(change!.id)).status).toBe(200);
      expect(await inForce()).toEqual({ ...start, elsewhere: { input: 1, source: 'own' } });
    });

    test('once, also when two ask for it', async () => {
      const { id } = await preview([row('a', 1.5)]);
      const change = await applied({ id, mode: 'overwrite' });
      const answers = await Promise.all([undo(change!.id), undo(change!.id)]);
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
      expect(await inForce()).toEqual(start);
    });
  });

  test('reports afterwards what it did to each model', async () => {
    const { id } = await preview([row('a', 1.5), row('new', 9)]);
    const change = await applied({ id, mode: 'overwrite', leave: ['c'] });
    const told = await hub().root.call(priceChangeApi.get, { params: { id: change!.id } });
    expect(told).toMatchObject({
      ...change,
      prices: [
        { model: 'a', before: row('a', 1), after: row('a', 1.5) },
        { model: 'b', before: row('b', 2), after: null },
        { model: 'new', before: null, after: row('new', 9) },
      ],
    });
  });

  test('can bring the prices of this build', async () => {
    const builtIn = await hub().root.call(priceApi.list, { query: { type: 'default' } });
    const found = await hub().root.call(priceUpdateApi.preview, { body: { from: 'built_in' } });
    expect(found.added).toHaveLength(builtIn.length);
    await apply({ id: found.id, mode: 'overwrite' });
    expect(await inForce()).toMatchObject({ 'gpt-4o': { input: 1.25, source: 'built_in' } });
    const again = await hub().root.call(priceUpdateApi.preview, { body: { from: 'built_in' } });
    expect(again).toMatchObject({ added: [], changed: [], dropped: [] });
    expect(again.unchanged).toHaveLength(builtIn.length);
  });
});
