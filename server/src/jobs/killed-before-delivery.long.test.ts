import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { userAdminApi, wayApi } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { openStorage } from '#db/open.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { startProcess } from '#testing/process.ts';

const PEOPLE = 12;

onOneDatabase('a server that is killed between causes and deliveries', (make) => {
  test('delivers every event after its restart, under the ids that it had', { timeout: 60_000 }, async () => {
    const ids = new Map<string, number>();
    let received = 0;
    let isHanging = true;
    const receiver = createServer((request, response) => {
      const id = String(request.headers['webhook-id']);
      request.resume().on('end', () => {
        ids.set(id, (ids.get(id) ?? 0) + 1);
        // As long as it hangs, nothing is known of the delivery.
        if (isHanging) return;
        received++;
        response.writeHead(204).end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const database = await make();
    let hub = await startProcess(database);
    try {
      const way = { site: true, kind: 'webhook', config: { address }, events: ['user.created'] } as const;
      const { id } = await hub.root.call(wayApi.create, { body: { ...way, events: [...way.events] } });
      const add = (name: string) =>
        hub.root.call(userAdminApi.create, { body: { username: name, password: 'a-password-of-somebody' } });
      await add('first-person');
      await expect.poll(() => ids.size, { message: 'the first message is under way' }).toBe(1);
      for (let at = 1; at < PEOPLE; at++) await add(`person-${at}`);
      await hub.kill();
      isHanging = false;
      const storage = openStorage(database);
      // The lease of the killed attempt ends now instead of in a minute.
      await storage.db.updateTable('deliveries').set({ next_at: 1 }).where('next_at', '>', 0).execute();
      await storage.close();
      hub = await startProcess(database);
      await expect
        .poll(() => received, { message: 'events of new users that were received', timeout: 20_000 })
        .toBe(PEOPLE);
      // Only the attempt that hung was repeated, under its id.
      expect([...ids.values()].toSorted((a, b) => a - b)).toEqual([...Array.from({ length: PEOPLE - 1 }, () => 1), 2]);
      const { total_count: deliveries } = await hub.root.call(wayApi.deliveries, { params: { id } });
      expect(deliveries).toBe(PEOPLE);
    } finally {
      await hub.kill();
      receiver.closeAllConnections();
      receiver.close();
    }
  });
});
