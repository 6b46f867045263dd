import { optionApi, siteApi, siteInfo } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { ApiClient, hubForSuite } from '#testing/hub.ts';
import { productVersion } from '#version.ts';

onEveryDatabase('the site', (make) => {
  const hub = hubForSuite(make);
  const visitor = (): ApiClient => new ApiClient(hub().url);

  test('contains only what the contract names', async () => {
    const status = await visitor().call(siteApi.status);
    expect(Object.keys(status).toSorted()).toEqual(Object.keys(siteInfo.shape).toSorted());
    expect(status).toMatchObject({
      version: 'v0.14.8',
      product_version: productVersion,
      system_name: 'Relay Hub',
      language: 'zh_CN',
      quota_per_unit: 500_000,
      display_in_currency: true,
      PaymentUSDRate: 7.3,
      PaymentMinAmount: 1,
      server_address: '',
    });
    expect(Math.abs(status.start_time - hub().server.deps.now())).toBeLessThan(120);
    expect(JSON.parse(status.chat_links)).toEqual(
      expect.arrayContaining([
        {
          id: expect.any(Number),
          name: expect.any(String),
          url: expect.any(String),
          show: expect.any(Boolean),
          sort: expect.any(Number),
        },
      ]),
    );
  });

  test('the first chat client that is built in is where the operator runs it', async () => {
    const links = async () =>
      JSON.parse((await visitor().call(siteApi.status)).chat_links) as { name: string; url: string }[];
    const before = await links();
    await hub().root.call(optionApi.set, { body: { key: 'ChatLink', value: 'https://chat.example.com/own/' } });
    const [first, ...others] = await links();
    expect(first).toEqual({
      ...before[0],
      url: 'https://chat.example.com/own/#/?settings={"key":"{key}","url":"{server}"}',
    });
    expect(others).toEqual(before.slice(1));
    await hub().root.call(optionApi.set, { body: { key: 'ChatLink', value: '' } });
    expect(await links()).toEqual(before);
  });

  test('chat clients of the operator’s own have ids, which old consoles need', async () => {
    const own = (name: string, id?: number) => ({ ...(id && { id }), name, url: 'app://x', show: true, sort: 1 });
    const value = JSON.stringify([own('a'), own('b', 1), own('c')]);
    await hub().root.call(optionApi.set, { body: { key: 'ChatLinks', value } });
    const ids = (text: string) => (JSON.parse(text) as { id?: unknown }[]).map(({ id }) => id);
    expect(ids((await visitor().call(siteApi.status)).chat_links)).toEqual([2, 1, 3]);
    const options = await hub().root.call(optionApi.list);
    expect(ids(options.find(({ key }) => key === 'ChatLinks')!.value)).toEqual([2, 1, 3]);
    await hub().root.call(optionApi.set, { body: { key: 'ChatLinks', value: '' } });
  });

  test('the texts are empty by default', async () => {
    for (const endpoint of [siteApi.notice, siteApi.about, siteApi.home])
      expect(await visitor().call(endpoint)).toBe('');
  });

  test('the makers of models come as a list and by id', async () => {
    const owners = await visitor().call(siteApi.owners);
    expect(owners.length).toBeGreaterThan(5);
    expect(owners.map(({ id }) => id)).toEqual(owners.map(({ id }) => id).toSorted((a, b) => a - b));
    expect(await visitor().call(siteApi.ownerMap)).toEqual(
      Object.fromEntries(
        owners.map((owner) => [owner.id, { ...owner, icon: owner.icon && `/icons/${owner.icon}.svg` }]),
      ),
    );
    expect(owners.find(({ id }) => id === 1)).toMatchObject({ name: 'OpenAI' });
  });

  test('the process lives, and is ready until it stops or its database is gone', async () => {
    const ask = async (path: string) => {
      const response = await fetch(hub().url + path);
      return { status: response.status, body: await response.json() };
    };
    expect(await ask('/healthz')).toEqual({ status: 200, body: { status: 'ok' } });
    expect(await ask('/readyz')).toEqual({ status: 200, body: { status: 'ready' } });
    const { lifecycle, db } = hub().server.deps;
    lifecycle.stopping = true;
    expect(await ask('/readyz')).toEqual({ status: 503, body: { status: 'stopping' } });
    expect((await ask('/healthz')).status).toBe(200);
    lifecycle.stopping = false;
    await db.schema.alterTable('options').renameTo('gone').execute();
    expect(await ask('/readyz')).toEqual({ status: 503, body: { status: 'database does not answer' } });
    await db.schema.alterTable('gone').renameTo('options').execute();
    expect((await ask('/readyz')).status).toBe(200);
  });
});
