import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ChannelJob } from '@relay-hub/contract';
import { channelApi, channelJobApi, optionApi } from '@relay-hub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { until } from '#testing/until.ts';

onEveryDatabase('the balance of an account', (make) => {
  const hub = hubForSuite(make);
  let limit: unknown = 120;
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const body =
      request.url === '/v1/dashboard/billing/subscription'
        ? { object: 'billing_subscription', hard_limit_usd: limit }
        : { object: 'list', total_usage: 2050 };
    const allowed = request.headers.authorization === 'Bearer sk-upstream-key-0001';
    response.writeHead(allowed ? 200 : 401, { 'content-type': 'application/json' });
    response.end(JSON.stringify(allowed ? body : { error: { message: 'no' } }));
  };
  const account = createServer(answer);
  beforeAll(() => new Promise<void>((resolve) => account.listen(0, '127.0.0.1', resolve)));
  afterAll(() => account.close());
  const url = () => `http://127.0.0.1:${(account.address() as AddressInfo).port}`;
  const read = (id: number) => hub().root.call(channelApi.get, { params: { id } });

  const ended = (): Promise<ChannelJob> =>
    until('the job has ended', async () =>
      (await hub().root.call(channelJobApi.list)).find(({ kind, state }) => kind === 'balance' && state !== 'running'),
    );

  test('is asked for, told and noted', async () => {
    const id = await addChannel(hub(), url());
    const told = await hub().root.call(channelJobApi.updateBalance, { params: { id } });
    expect(told).toEqual({ balance: 99.5, balance_currency: 'USD' });
    // Where one-hub clients expect it.
    expect(await hub().root.send('GET', `/api/channel/update_balance/${id}`)).toMatchObject({
      body: { balance: 99.5 },
    });
    expect(await read(id)).toMatchObject({
      ...told,
      balance_updated_time: expect.closeTo(hub().server.deps.now(), -1),
    });
  });

  test('that can no longer be read is marked with the reason, until it can', async () => {
    const id = await addChannel(hub(), url());
    await hub().root.call(channelJobApi.updateBalance, { params: { id } });
    const known = await read(id);
    expect(known).toMatchObject({ balance: 99.5, balance_error: '', balance_error_time: 0 });
    for (const broken of ['plenty', null]) {
      limit = broken;
      expect((await hub().root.try(channelJobApi.updateBalance, { params: { id } })).status).toBe(502);
      expect(await read(id)).toMatchObject({
        balance: 99.5,
        balance_updated_time: known.balance_updated_time,
        balance_error: 'the answer tells no balance',
        balance_error_time: expect.closeTo(hub().server.deps.now(), -1),
      });
    }
    limit = 120;
    await hub().root.call(channelApi.update, { body: { id, key: 'sk-another' } });
    await hub().root.try(channelJobApi.updateBalance, { params: { id } });
    expect(await read(id)).toMatchObject({ balance_error: '401 no' });
    await hub().root.call(channelApi.update, { body: { id, key: 'sk-upstream-key-0001' } });
    await hub().root.call(channelJobApi.updateBalance, { params: { id } });
    expect(await read(id)).toMatchObject({ balance: 99.5, balance_error: '', balance_error_time: 0 });
    await hub().root.call(channelApi.remove, { params: { id } });
  });

  test('is unknown where the provider does not tell, refuses, or says something else', async () => {
    const balance = (id: number) => hub().root.try(channelJobApi.updateBalance, { params: { id } });
    const mute = (await hub().root.call(channelApi.types)).find((type) => type.supported && !type.tells_balance)!;
    const [made] = await hub().root.call(channelApi.create, {
      body: {
        type: mute.type,
        name: 'mute',
        key: 'a|b|c',
        base_url: url(),
        models: 'm',
        other: mute.other?.example ?? '',
      },
    });
    expect(await balance(made!.id)).toMatchObject({ status: 400, body: { code: 'channel.balance_unsupported' } });
    const official = { type: 1, name: 'official', key: 'sk-x', base_url: '', models: 'm' };
    const [openAi] = await hub().root.call(channelApi.create, { body: official });
    expect(await balance(openAi!.id)).toMatchObject({ status: 400, body: { code: 'channel.balance_unsupported' } });
    // Only channels that report a balance are queried.
    await hub().root.call(channelJobApi.updateBalances);
    expect(await ended()).toMatchObject({ state: 'done', total: 1, succeeded: 1 });
    const refused = await addChannel(hub(), url(), { key: 'sk-another' });
    expect(await balance(refused)).toMatchObject({ status: 502, body: { code: 'channel.upstream_failed' } });
    limit = 'plenty';
    expect(await balance(await addChannel(hub(), url()))).toMatchObject({ status: 502 });
    limit = 120;
    await hub().server.deps.db.updateTable('channels').set({ deleted_time: 1 }).execute();
  });

  test('of all enabled channels is work that goes on by itself; empty accounts are switched off as the setting says', async () => {
    const id = await addChannel(hub(), url());
    const off = await addChannel(hub(), url(), { status: 2 });
    limit = 20;
    await hub().root.call(channelJobApi.updateBalances);
    expect(await ended()).toMatchObject({ state: 'done', total: 1, succeeded: 1, switched_off: 0 });
    expect(await read(id)).toMatchObject({ balance: -0.5, status: 1 });
    expect(await read(off)).toMatchObject({ balance_updated_time: 0 });
    await hub().root.call(optionApi.set, { body: { key: 'AutomaticDisableChannelEnabled', value: 'true' } });
    await hub().root.call(channelJobApi.updateBalances);
    expect(await ended()).toMatchObject({ switched_off: 1 });
    expect(await read(id)).toMatchObject({ status: 3, last_error: 'nothing is left on the account' });
  });
});
