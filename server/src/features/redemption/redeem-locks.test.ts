import { redemptionApi, userGroupApi } from '@relay-hub/contract';
import { describe, expect, inject, test } from 'vitest';
import { besideBatch, holding } from '#testing/beside-batch.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller } from '#testing/callers.ts';
import { newPostgres } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { addPerson } from '#testing/people.ts';
import { setOptions } from '#testing/mailbox.ts';

const postgres = inject('postgresUrl');

/** SQLite has one writer at a time, so deadlocks are impossible. */
describe.skipIf(postgres === '')('what holds several accounts, beside a batch of calls', () => {
  const hub = hubForSuite(newPostgres);

  test('a code is redeemed, and the inviter is paid', async () => {
    const { db } = hub().server.deps;
    await setOptions(hub().root, { QuotaForInviter: '700' });
    const inviter = await addPerson(hub());
    const newcomer = await addPerson(hub());
    await db.updateTable('users').set({ inviter_id: inviter.id }).where('id', '=', newcomer.id).execute();
    const [code] = await hub().root.call(redemptionApi.create, { body: { name: 'launch', quota: 500 } });
    const before = await db.selectFrom('users').where('id', '=', inviter.id).select('quota').executeTakeFirstOrThrow();
    const locks = { first: holding('users', inviter.id), second: holding('users', newcomer.id) };
    await besideBatch(db, locks, () => newcomer.client.call(redemptionApi.redeem, { body: { key: code! } }));
    const after = await db.selectFrom('users').where('id', '=', inviter.id).select('quota').executeTakeFirstOrThrow();
    expect(after.quota - before.quota).toBe(700);
    await expectBooksBalance(db);
  });

  test('a group is deleted, with users and tokens in it', async () => {
    const { db } = hub().server.deps;
    await hub().root.call(userGroupApi.create, { body: { symbol: 'old', name: 'old', ratio: 1, public: true } });
    const { id } = (await hub().root.call(userGroupApi.list, { query: { size: 100 } })).data.find(
      ({ symbol }) => symbol === 'old',
    )!;
    const low = await addCaller(db, { group: 'old', tokenGroup: 'old' });
    const high = await addCaller(db, { group: 'old', tokenGroup: 'old' });
    // An updated row is stored behind older ones.
    await db.updateTable('users').set({ reminded_time: 1 }).where('id', '=', low.userId).execute();
    await db.updateTable('tokens').set({ accessed_time: 1 }).where('id', '=', low.tokenId).execute();
    const remove = () => hub().root.call(userGroupApi.remove, { params: { id }, query: { replacement: 'vip' } });
    const locks = { first: holding('users', low.userId), second: holding('users', high.userId) };
    await besideBatch(db, locks, remove);
    const left = await db.selectFrom('tokens').where('group', '=', 'old').select('id').execute();
    expect(left).toEqual([]);
  });
});
