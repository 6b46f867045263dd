import { optionApi, siteApi } from '@relay-hub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onEveryDatabase, type EmptyDatabase } from '#testing/databases.ts';
import { startHub, type TestHub } from '#testing/hub.ts';

onEveryDatabase('settings of two nodes', (make) => {
  let database: EmptyDatabase;
  let here: TestHub;
  let there: TestHub;
  beforeAll(async () => {
    database = await make();
    here = await startHub(database);
    there = await startHub(database);
  }, 60_000);
  afterAll(async () => {
    await Promise.all([here?.close(), there?.close()]);
    await database?.remove();
  });

  /** Resolves when the other node has it; fails after a second. */
  async function heard(isSo: () => Promise<boolean> | boolean): Promise<void> {
    const end = performance.now() + 1000;
    while (!(await isSo())) {
      if (performance.now() > end) throw new Error('not in force after a second');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  test('a change, a secret and a change that is taken back are in force on the other within a second', async () => {
    await here.root.call(optionApi.setMany, { body: { values: { SystemName: 'Two', SMTPToken: 'a-mail-password' } } });
    const told = async () => (await there.root.call(siteApi.status)).system_name;
    await heard(async () => (await told()) === 'Two');
    expect(there.server.deps.live.settings.SMTPToken).toBe('a-mail-password');
    const { data } = await there.root.call(optionApi.history, { query: { key: 'SystemName' } });
    await there.root.call(optionApi.restore, { params: { id: data[0]!.id } });
    await heard(() => here.server.deps.live.settings.SystemName === 'Relay Hub');
  });

  test('of two changes at the same time neither breaks the rules between settings', async () => {
    await here.root.call(optionApi.setMany, { body: { values: { LarkClientId: 'id', LarkClientSecret: 's' } } });
    await Promise.all([
      here.root.try(optionApi.set, { body: { key: 'LarkAuthEnabled', value: 'true' } }),
      there.root.try(optionApi.set, { body: { key: 'LarkClientId', value: '' } }),
    ]);
    const stored = new Map((await here.root.call(optionApi.list)).map(({ key, value }) => [key, value]));
    expect(stored.get('LarkAuthEnabled') === 'true' && stored.get('LarkClientId') === '').toBe(false);
  });
});
