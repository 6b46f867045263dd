import { launchApi, type LaunchItem, optionApi, priceApi, wayApi } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';

const plain = { model: 'gpt-4o', type: 'tokens', channel_type: 1, input: 1, output: 4 } as const;

onEveryDatabase('the checklist before opening to others', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const states = async () => {
    const { items } = await hub().root.call(launchApi.get);
    return Object.fromEntries(items.map(({ id, state, count }) => [id, count > 0 ? `${state} ${count}` : state]));
  };
  const set = (values: Record<string, string>) => hub().root.call(optionApi.setMany, { body: { values } });
  const update = (body: { item?: LaunchItem; skipped?: boolean; dismissed?: boolean }) =>
    hub().root.call(launchApi.update, { body });

  test('follows the settings, channels, prices, gateways and backups', async () => {
    const { db, now } = hub().server.deps;
    const open = 'open';
    expect(await states()).toEqual({
      address: open,
      tls: open,
      mail: open,
      backup: open,
      gift: open,
      prices: 'done',
      fees: 'done',
      gateway: open,
      alerts: open,
      store: 'done',
    });
    await set({ ResponseStoreHours: '0' });
    expect(await states()).toMatchObject({ store: open });
    await set({ ServerAddress: 'http://localhost:3000' });
    expect(await states()).toMatchObject({ address: open, tls: open });
    await set({ ServerAddress: 'https://hub.example.com', QuotaForNewUser: '500000' });
    expect(await states()).toMatchObject({ address: 'done', tls: 'done', gift: 'done' });
    await set({ QuotaForNewUser: '0', RegisterEnabled: 'false' });
    expect(await states()).toMatchObject({ gift: 'done' });
    await set({ SMTPServer: '127.0.0.1', SMTPFrom: 'hub@example.com' });
    expect(await states()).toMatchObject({ mail: 'done', alerts: open });
    await db.updateTable('ways').set({ tested_at: now() }).execute();
    expect(await states()).toMatchObject({ alerts: open });
    const [way] = await hub().root.call(wayApi.list);
    await hub().root.call(wayApi.confirm, { params: { id: way!.id } });
    expect(await states()).toMatchObject({ alerts: 'done' });
    await addChannel(hub(), upstream().url, { models: 'gpt-4o,without-a-price' });
    expect(await states()).toMatchObject({ prices: 'open 1', fees: 'done' });
    await hub().root.call(priceApi.update, { params: { model: 'gpt-4o' }, body: { ...plain, fees: [] } });
    expect(await states()).toMatchObject({ fees: 'open 1' });
    await set({ TopUpLink: 'https://shop.example.com' });
    expect(await states()).toMatchObject({ gateway: 'done' });

    await set({ BackupEnabled: 'true' });
    expect(await states()).toMatchObject({ backup: 'done' });
    const backup = { cause: 'command', actor_id: 0, host: 'x', started_time: now(), seen_time: now() } as const;
    const ended = (state: 'done' | 'failed', ended_time: number) =>
      db
        .insertInto('backups')
        .values({ ...backup, state, ended_time, encrypted: false })
        .execute();
    await ended('failed', now());
    expect(await states()).toMatchObject({ backup: open });
    await set({ BackupEnabled: 'false' });
    await ended('done', now() - 8 * 86_400);
    expect(await states()).toMatchObject({ backup: open });
    await ended('done', now());
    expect(await states()).toMatchObject({ backup: 'done' });
  });

  test('remembers what is not needed and that it was hidden, for every super administrator', async () => {
    await update({ item: 'prices', skipped: true });
    expect(await states()).toMatchObject({ prices: 'skipped 1' });
    await Promise.all([update({ item: 'mail', skipped: true }), update({ item: 'tls', skipped: true })]);
    // A finished item remains finished.
    expect(await states()).toMatchObject({ mail: 'done', tls: 'done', prices: 'skipped 1' });
    expect((await update({ item: 'prices', skipped: false })).items.find(({ id }) => id === 'prices')).toMatchObject({
      state: 'open',
    });
    expect((await update({ dismissed: true })).dismissed).toBe(true);
    expect((await hub().root.call(launchApi.get)).dismissed).toBe(true);
    expect(await hub().root.try(launchApi.update, { body: { item: 'other' as never, skipped: true } })).toMatchObject({
      status: 400,
    });
  });
});
