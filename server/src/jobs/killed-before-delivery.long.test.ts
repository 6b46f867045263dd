import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { incidentApi, userAdminApi, wayApi } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { onOneDatabase } from '#testing/databases.ts';
import { startProcess } from '#testing/process.ts';

const PEOPLE = 12;

onOneDatabase('a server that is killed between causes and deliveries', (make) => {
  test('delivers every event after its restart, under the ids that it had', { timeout: 360_000 }, async () => {
    const ids = new Map<string, number>();
    const types: string[] = [];
    let isHanging = true;
    const receiver = createServer((request, response) => {
      const id = String(request.headers['webhook-id']);
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        ids.set(id, (ids.get(id) ?? 0) + 1);
        // As long as it hangs, nothing is known of the delivery.
        if (isHanging) return;
        types.push((JSON.parse(Buffer.concat(pieces).toString()) as { type: string }).type);
        response.writeHead(204).end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const database = await make();
    let hub = await startProcess(database);
    try {
      const events = ['user.created', 'incident.opened', 'incident.closed'] as const;
      const way = { site: true, kind: 'webhook', config: { address }, events: [...events] } as const;
      const { id } = await hub.root.call(wayApi.create, { body: { ...way, events: [...events] } });
      const add = (name: string) =>
        hub.root.call(userAdminApi.create, { body: { username: name, password: 'a-password-of-somebody' } });
      await add('first-person');
      await expect.poll(() => ids.size, { message: 'the first message is under way' }).toBe(1);
      for (let at = 1; at < PEOPLE; at++) await add(`person-${at}`);
      await hub.kill();
      isHanging = false;
      hub = await startProcess(database);
      await expect
        .poll(() => types.filter((type) => type === 'user.created').length, {
          message: 'all events of new users, that of the killed attempt after its lease',
          timeout: 120_000,
        })
        .toBe(PEOPLE);
      await expect
        .poll(() => types.filter((type) => type === 'incident.closed').length, {
          message: 'the end of the incident of the lost process',
          timeout: 150_000,
        })
        .toBe(1);
      expect(types.filter((type) => type === 'incident.opened')).toHaveLength(1);
      const { data } = await hub.root.call(incidentApi.list, { query: { kind: 'node' } });
      expect(data).toMatchObject([{ closed_at: expect.any(Number) }]);
      // Only the attempt that hung was repeated, under its id.
      expect([...ids.values()].toSorted((a, b) => a - b)).toEqual([...Array.from({ length: PEOPLE + 1 }, () => 1), 2]);
      const { total_count: deliveries } = await hub.root.call(wayApi.deliveries, { params: { id } });
      expect(deliveries).toBe(PEOPLE + 2);
    } finally {
      await hub.kill();
      receiver.closeAllConnections();
      receiver.close();
    }
  });
});
