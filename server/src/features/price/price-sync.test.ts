import type { Price, PriceInput } from '@relay-hub/contract';
import { priceApi } from '@relay-hub/contract';
import { beforeEach, expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';

const row = (model: string, input: number): PriceInput => ({
  model,
  type: 'tokens',
  channel_type: 1,
  input,
  output: 2 * input,
});

onEveryDatabase('the update of older clients', (make) => {
  const hub = hubForSuite(make);

  const inForce = async (): Promise<Record<string, Pick<Price, 'input' | 'source'>>> => {
    const all = (await hub().root.call(priceApi.list)) as Price[];
    return Object.fromEntries(all.map(({ model, input, source }) => [model, { input, source }]));
  };
  const sync = (body: unknown, overwrite = 'false') =>
    hub().root.send('POST', `/api/prices/sync?overwrite=${overwrite}`, body);

  beforeEach(async () => {
    const { root } = hub();
    await root.call(priceApi.removeMany, { body: { models: Object.keys(await inForce()) } });
    await root.call(priceApi.setMany, { body: { prices: [row('a', 1), row('b', 2)] } });
  });
  const start = { a: { input: 1, source: 'own' }, b: { input: 2, source: 'own' } };

  test('adds missing prices, as it does by default', async () => {
    expect(await sync([row('a', 1.5), row('new', 9)])).toMatchObject({ status: 200, body: { success: true } });
    expect(await inForce()).toEqual({ ...start, new: { input: 9, source: 'remote' } });
    await hub().root.send('POST', '/api/prices/sync', [row('a', 1.5), row('newer', 9)]);
    expect(await inForce()).toMatchObject({ ...start, newer: { input: 9 } });
  });

  test('overwrites everything', async () => {
    expect((await sync([row('a', 1.5), row('new', 9)], 'true')).status).toBe(200);
    expect(await inForce()).toEqual({ a: { input: 1.5, source: 'remote' }, new: { input: 9, source: 'remote' } });
  });

  test.each<[string, unknown, object]>([
    ['a row that is wrong', [row('a', 1), row('bad', -1)], { code: 'price.source_row', field: '1.input' }],
    ['a model that comes twice', [row('x', 1), row('x', 2)], { code: 'price.source_row', field: '0.model' }],
    ['a jump', [row('a', 100)], { code: 'price.jump' }],
    ['an empty list', [], { code: 'input.invalid' }],
    ['no list', { a: 1 }, { code: 'input.invalid' }],
  ])('%s changes nothing', async (_, body, refusal) => {
    expect(await sync(body, 'true')).toMatchObject({ body: { success: false, ...refusal } });
    expect(await inForce()).toEqual(start);
  });
});
