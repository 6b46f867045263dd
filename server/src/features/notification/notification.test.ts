import { notificationApi, userApi } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { noticeStates } from '../../jobs/watch-notifications.ts';
import { notify } from '#notifications/notify.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { addPerson } from '#testing/people.ts';

onEveryDatabase('notifications', (make) => {
  const hub = hubForSuite(make);
  const own = { kind: 'tokenExpires', severity: 'warning', object_id: 7, params: { token: 'laptop' } } as const;

  test('a flapping channel is one notification an hour, for administrators only', async () => {
    const { root, server } = hub();
    const { db, notices, now } = server.deps;
    const person = await addPerson(hub());
    const other = await addPerson(hub());
    const channel = await addChannel(hub(), 'http://127.0.0.1:9', { name: 'flapping' });
    for (let at = 0; at < 5; at++) {
      notices.add({ kind: 'channelOff', channel, values: { reason: `attempt ${at}` } });
      notices.add({ kind: 'channelOn', channel });
    }
    await notices.settled();
    await notify(db, { ...own, userId: person.id, now: now() });

    const { data, unread } = await root.call(notificationApi.list);
    const off = data.filter(({ kind }) => kind === 'channelOff');
    // Two if the hour has changed meanwhile.
    expect(off.length).toBeLessThanOrEqual(2);
    expect(off.reduce((all, { count }) => all + count, 0)).toBe(5);
    expect(off[0]).toMatchObject({
      object_id: channel,
      severity: 'error',
      params: { name: 'flapping', reason: 'attempt 4' },
      read: false,
    });
    expect(unread).toBe(data.length);
    expect((await root.call(userApi.self)).unread_notifications).toBe(unread);

    expect((await person.client.call(notificationApi.list)).data).toMatchObject([{ ...own, count: 1, read: false }]);
    expect(await other.client.call(notificationApi.list)).toEqual({ data: [], unread: 0 });
  });

  test('are marked as read by each reader, and only the own ones', async () => {
    const { root, server } = hub();
    const { db, now } = server.deps;
    const [one, two] = [await addPerson(hub()), await addPerson(hub())];
    for (const token of ['a', 'b'])
      await notify(db, { ...own, userId: one.id, params: { token }, fold: token, now: now() });
    const [newest] = (await one.client.call(notificationApi.list)).data;
    const ids = [newest!.id];
    await two.client.call(notificationApi.read, { body: { ids } });
    await root.call(notificationApi.read, { body: {} });
    expect(await one.client.call(notificationApi.read, { body: { ids } })).toEqual({ unread: 1 });
    expect((await one.client.call(userApi.self)).unread_notifications).toBe(1);
    expect(await one.client.call(notificationApi.read, { body: {} })).toEqual({ unread: 0 });
    expect((await one.client.try(notificationApi.read, { body: { ids: [] } })).status).toBe(400);
  });

  test('a state is told once, however often it is looked at, and old ones are deleted', async () => {
    const { root, server } = hub();
    const { db, now } = server.deps;
    await db
      .insertInto('backups')
      .values({
        cause: 'schedule',
        actor_id: 0,
        host: 'here',
        lock: null,
        slot: null,
        state: 'failed',
        started_time: now(),
        seen_time: now(),
        ended_time: now(),
        encrypted: false,
        error: 'disk full',
      })
      .execute();
    await notify(db, { ...own, userId: 1, fold: 'old', now: now() - 40 * 86_400 });
    for (let round = 0; round < 3; round++) await noticeStates(db, now());
    const { data } = await root.call(notificationApi.list);
    expect(data.filter(({ kind }) => kind === 'backupFailed')).toMatchObject([
      { count: 1, params: { reason: 'disk full' } },
    ]);
    expect(data.filter(({ kind }) => kind === 'tokenExpires')).toEqual([]);
  });
});
