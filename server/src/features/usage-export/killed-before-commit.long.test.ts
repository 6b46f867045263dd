import { usageExportApi } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { openStorage } from '#db/open.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { insertLogs, logRow } from '#testing/log-rows.ts';
import { startProcess } from '#testing/process.ts';
import { billingKey, startBillingSystems } from '#upstream-simulator/billing-systems.ts';

const CALLS = 250;

onOneDatabase('a server that is killed between sending usage and noting it', (make) => {
  test('sends what is not noted again after its restart, under the same ids', { timeout: 60_000 }, async () => {
    const systems = await startBillingSystems();
    const database = await make();
    let hub = await startProcess(database);
    try {
      const at = Math.floor(Date.now() / 1000);
      const body = { kind: 'cloudevents', name: 'Receiver', key: billingKey, event: 'usage' } as const;
      await hub.root.call(usageExportApi.create, { body: { ...body, address: `${systems.url}/api/v1/events` } });
      // The first batch is noted, the second one is not.
      systems.faults.push('none', 'hang');
      const rows = Array.from({ length: CALLS }, (_, n) =>
        logRow({ request_id: `call-${n}`, user_id: 1, created_at: at }),
      );
      const storage = openStorage(database);
      await insertLogs(storage.db, rows);
      await storage.close();
      await expect.poll(() => systems.taken.length, { message: 'events received', timeout: 20_000 }).toBe(200);
      await hub.kill();
      hub = await startProcess(database);
      await expect.poll(() => systems.taken.length, { message: 'events received', timeout: 30_000 }).toBe(CALLS);
      expect(systems.taken.map(({ id }) => id)).toEqual(rows.map(({ request_id: id }) => `call:${id}`));
      expect(systems.state.repeated).toBe(100);
    } finally {
      await hub.kill();
      await systems.close();
    }
  });
});
