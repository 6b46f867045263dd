import type { AttemptKind } from '@relay-hub/contract';
import type { RawBuilder, SqlBool } from 'kysely';
import { sql } from 'kysely';
import type { Db } from '#db/tables.ts';
import { isModel, isToken, type UsageScope } from './usage-scope.ts';

/** Failed calls of a model by the outcome of their last attempt. */
export interface FailureCount {
  model: string;
  kind: AttemptKind;
  calls: number;
}

/**
 * Failed calls between two whole hours. A user's include those that reached no channel, as their usage does; all others
 * do not.
 */
export async function failuresOf(db: Db, scope: UsageScope, from: number, until: number): Promise<FailureCount[]> {
  const { userId, tokenId, channelId, model } = scope;
  const conditions: RawBuilder<SqlBool>[] = [sql`hour >= ${from}`, sql`hour < ${until}`];
  if (userId !== undefined) conditions.push(sql`user_id = ${userId}`);
  else conditions.push(sql`channel_id <> 0`);
  if (tokenId !== undefined) conditions.push(isToken('token_id', tokenId));
  if (channelId !== undefined) conditions.push(sql`channel_id = ${channelId}`);
  if (model !== undefined) conditions.push(isModel(model));
  const { rows } = await sql<FailureCount>`
    select model_name as model, kind, sum(calls) as calls from failures
    where ${sql.join(conditions, sql` and `)} group by model_name, kind having sum(calls) > 0`.execute(db);
  return rows;
}

/** Calls refused before any channel was tried. */
export interface RefusalCount {
  reason: string;
  /** HTTP status of the reply. */
  status: number;
  calls: number;
}

/**
 * Refused calls between two whole hours, by reason, most first. No channel refuses, so the scope of a channel has none.
 */
export async function refusalsOf(db: Db, scope: UsageScope, from: number, until: number): Promise<RefusalCount[]> {
  if (scope.channelId !== undefined) return [];
  return (
    db
      .selectFrom('refusals')
      .where('hour', '>=', from)
      .where('hour', '<', until)
      // The index is by time of the last call, which is not before the hour.
      .where('created_at', '>=', from)
      .$if(scope.userId !== undefined, (found) => found.where('user_id', '=', scope.userId ?? 0))
      .$if(scope.tokenId !== undefined, (found) => found.where(isToken('token_id', scope.tokenId ?? [])))
      .groupBy(['reason', 'status'])
      .select(({ fn }) => ['reason', 'status', fn.sum<number>('count').as('calls')])
      .orderBy('calls', 'desc')
      .execute()
  );
}
