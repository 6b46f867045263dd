import { sql } from 'kysely';
import { describe, expect, inject, test } from 'vitest';
import { besideBatch } from '#testing/beside-batch.ts';
import { addCaller } from '#testing/callers.ts';
import { databaseForSuite } from '#testing/database-for-suite.ts';
import { newPostgres } from '#testing/databases.ts';
import { openRecall } from './recall.ts';

const postgres = inject('postgresUrl');

describe.skipIf(postgres === '')('calling leases back', () => {
  const db = databaseForSuite(newPostgres);

  test('does not deadlock with a batch of the leasing node', async () => {
    const { userId, tokenId } = await addCaller(db(), { remain: 1_000 });
    // The lease of the token is stored before the lease of the user.
    for (const token_id of [tokenId, 0])
      await db().insertInto('leases').values({ user_id: userId, token_id, node: 'other', credits: 10 }).execute();
    // With statistics, PostgreSQL scans the small table in stored order instead of by its key.
    await sql`analyze leases`.execute(db());
    const written = (token: number) => (trx: ReturnType<typeof db>) =>
      trx
        .updateTable('leases')
        .set({ credits: 5, recalled: false })
        .where('user_id', '=', userId)
        .where('token_id', '=', token)
        .execute();
    const locks = { first: written(0), second: written(tokenId) };
    // It waits a while for what the other node would give back, and then goes on.
    expect(await besideBatch(db(), locks, () => openRecall(db(), 'mine').ask({ userId, tokenId }))).toBe(true);
    const leases = await db().selectFrom('leases').where('user_id', '=', userId).select(['recalled']).execute();
    expect(leases).toEqual([{ recalled: true }, { recalled: true }]);
  });
});
