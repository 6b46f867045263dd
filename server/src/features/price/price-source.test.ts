import type { InputOf } from '@relay-hub/contract';
import { priceApi, priceChangeApi, priceUpdateApi } from '@relay-hub/contract';
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';

const row = (model: string, input: unknown) => ({ model, type: 'tokens', channel_type: 1, input, output: 1 });
const text =
  (body: string, type = 'application/json') =>
  (response: ServerResponse) =>
    void response.writeHead(200, { 'content-type': type }).end(body);

onEveryDatabase('prices from an address', (make) => {
  const hub = hubForSuite(make, {}, { networks: '127.0.0.1' });
  const remote = rawUpstreamForSuite();

  const preview = (address = `${remote().url}/prices.json`) =>
    hub().root.try(priceUpdateApi.preview, { body: { from: 'address', address } });
  const previewed = (address = `${remote().url}/prices.json`) =>
    hub().root.call(priceUpdateApi.preview, { body: { from: 'address', address } });

  test('are read as an array or as the answer of another server', async () => {
    for (const list of [[row('far', 1)], { success: true, message: '', data: [row('far', 1)] }]) {
      remote().reply = (response) => sendJson(response, list);
      const found = await previewed(` ${remote().url}/prices.json `);
      expect(found).toMatchObject({ from: 'address', address: `${remote().url}/prices.json`, total: 1 });
      expect(found.added).toMatchObject([{ model: 'far', after: { input: 1 } }]);
    }
    expect(remote().requests.at(-1)?.headers).toMatchObject({ accept: 'application/json' });
    expect(remote().requests.at(-1)?.headers).not.toHaveProperty('cookie');
  });

  test('are applied as they were looked at, whatever the address says by then', async () => {
    remote().reply = (response) => sendJson(response, [row('kept', 1)]);
    const found = await previewed();
    remote().reply = (response) => sendJson(response, [row('kept', 999)]);
    const body: InputOf<typeof priceUpdateApi.apply>['body'] = { id: found.id, mode: 'add' };
    expect((await hub().root.call(priceUpdateApi.apply, { body }))?.source).toBe(`${remote().url}/prices.json`);
    const prices = await hub().root.call(priceApi.list);
    expect(prices.find(({ model }) => model === 'kept')).toMatchObject({ input: 1, source: 'remote' });
    const { data } = await hub().root.call(priceChangeApi.list, { query: { kind: 'update' } });
    expect(data[0]).toMatchObject({ actor: 'root', source: `${remote().url}/prices.json`, added: 1 });
  });

  test('valid rows of a list are kept although others are invalid', async () => {
    const rows = [
      row('good', 1),
      row('negative', -1),
      row('text', 'NaN'),
      row('none', null),
      row('twice', 1),
      row('twice', 2),
    ];
    remote().reply = (response) => sendJson(response, rows);
    const found = await previewed();
    expect(found.added.map(({ model }) => model)).toEqual(['good']);
    expect(found.rejected.map(({ model }) => model)).toEqual(['negative', 'text', 'none', 'twice', 'twice']);
  });

  test('of a public list keep what it does not say, drop nothing, and name what was left out', async () => {
    const rates = { input_cost_per_token: 2e-6, output_cost_per_token: 1e-5 };
    const openAi = { litellm_provider: 'openai', ...rates };
    const list = {
      // Known here with rules, of which the list states one.
      'gpt-6-sol': { ...openAi, input_cost_per_token_priority: 6e-6, output_cost_per_token_priority: 3e-5 },
      'gpt-5.4': { ...openAi, input_cost_per_token: 2.5e-5 },
      'gpt-new': { ...openAi, output_cost_per_mood: 1 },
      'gpt,a': openAi,
      'azure/gpt-new': { ...openAi, litellm_provider: 'azure' },
    };
    remote().reply = (response) => sendJson(response, list);
    const found = await previewed();
    const before = (await hub().root.call(priceApi.list)).find(({ model }) => model === 'gpt-6-sol')!;
    expect(found).toMatchObject({
      format: 'litellm',
      dropped: [],
      rejected: [{ model: 'gpt,a', field: 'model' }],
      remarks: [
        { remark: 'unknown_field', field: 'output_cost_per_mood', count: 1, models: ['gpt-new'] },
        { remark: 'other_provider', field: 'azure', count: 1, models: [] },
      ],
    });
    const changed = Object.fromEntries(found.changed.map((each) => [each.model, each]));
    const others = before.rules!.filter(({ modes }) => !modes?.includes('priority'));
    expect(changed['gpt-6-sol']?.after).toMatchObject({ input: 1, fees: before.fees });
    expect(changed['gpt-6-sol']?.after?.rules).toEqual([
      { modes: ['priority'], effect: 'multiply', input: 3, output: 3 },
      ...others,
    ]);
    expect(changed['gpt-5.4']?.jumps).toContain('input');

    const body: InputOf<typeof priceUpdateApi.apply>['body'] = { id: found.id, mode: 'overwrite' };
    expect(await hub().root.try(priceUpdateApi.apply, { body })).toMatchObject({ body: { code: 'price.jump' } });
    const applied = await hub().root.call(priceUpdateApi.apply, { body: { ...body, confirmed: ['gpt-5.4'] } });
    expect(applied).toMatchObject({ changed: 2, added: 1, dropped: 0 });
    await hub().root.call(priceChangeApi.undo, { params: { id: applied!.id } });
    const after = await hub().root.call(priceApi.list);
    expect(after.find(({ model }) => model === 'gpt-6-sol')?.rules).toEqual(before.rules);
  });

  describe('that are none', () => {
    test.each<[string, (response: ServerResponse) => void, string, number]>([
      ['a page', text('<!doctype html><title>Sign in</title>', 'text/html'), 'price.source_format', 400],
      ['half a list', text('[{"model":"a","type":"tok'), 'price.source_format', 400],
      ['NaN, which is not JSON', text('[{"model":"a","input":NaN}]'), 'price.source_format', 400],
      ['nothing', text(''), 'price.source_format', 400],
      ['a number', text('1'), 'price.source_format', 400],
      ['null', text('null'), 'price.source_format', 400],
      ['thirteen megabytes', text(`[${' '.repeat(13_000_000)}]`), 'outbound.too_large', 502],
      ['an error', (response) => sendJson(response, { error: 'no' }, 500), 'outbound.status', 502],
      [
        'a redirect into the private network',
        (response) => void response.writeHead(302, { location: 'http://127.0.0.2/prices.json' }).end(),
        'outbound.private',
        400,
      ],
      [
        'a redirect to itself',
        (response) => void response.writeHead(302, { location: '/' }).end(),
        'outbound.redirects',
        502,
      ],
      ['a broken line', (response) => void response.socket?.destroy(), 'outbound.failed', 502],
    ])('%s', async (_, reply, code, status) => {
      remote().reply = reply;
      const before = await hub().root.call(priceApi.list);
      expect(await preview()).toMatchObject({ status, body: { success: false, code, field: 'address' } });
      expect(await hub().root.call(priceApi.list)).toEqual(before);
    });

    test.each(['http://127.0.0.2/', 'http://10.0.0.1/', 'http://[::1]/', 'http://2130706434/'])(
      '%s is not even asked',
      async (address) => {
        expect(await preview(address)).toMatchObject({
          status: 400,
          body: { code: 'outbound.private', field: 'address' },
        });
      },
    );

    test.each(['', 'prices.json', 'file:///etc/passwd', 'ftp://127.0.0.1/'])('%j is no address', async (address) => {
      expect(await preview(address)).toMatchObject({ status: 400, body: { field: 'address' } });
    });
  });
});
