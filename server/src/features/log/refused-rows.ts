import { logType } from '@relay-hub/contract';
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Db, Tables } from '#db/tables.ts';
import type { LogRow } from './log-row.ts';
import { refusalPathOf, rowsOf } from './log-path.ts';
import type { LogSearch } from './log-search.ts';

/** Refused calls by id, as log rows. */
export async function readRefused(db: Db, ids: readonly number[]): Promise<LogRow[]> {
  if (ids.length === 0) return [];
  return (await db.selectFrom('refusals').where('id', 'in', ids).selectAll().execute()).map(asLogRow);
}

/** Number of calls behind the matching rows; a row counts in full, even at the ends of the range. */
export async function countRefused(db: Db, search: LogSearch): Promise<number> {
  const rows = rowsOf(db, refusalPathOf(search), { from: search.from, to: search.to });
  const { calls } = await rows.select(sql<number>`coalesce(sum(count), 0)`.as('calls')).executeTakeFirstOrThrow();
  return calls;
}

/** The rows with a call since then. */
export async function refusedSince(db: Db, search: LogSearch, since: number): Promise<number[]> {
  const stretch = { from: Math.max(search.from, since), to: search.to };
  const rows = await rowsOf(db, refusalPathOf(search), stretch).select('id').execute();
  return rows.map(({ id }) => id);
}

/**
 * Deletes up to `most` rows whose last call was before the target, and the counts of unknown keys. Returns whether more
 * are left.
 */
export async function deleteRefusedBefore(db: Db, target: number, most: number): Promise<boolean> {
  await db.deleteFrom('unknown_keys').where('last_time', '<', target).execute();
  const oldest = db
    .selectFrom('refusals')
    .where('created_at', '<', target)
    .select('id')
    .orderBy('created_at')
    .limit(most);
  const { numDeletedRows } = await db.deleteFrom('refusals').where('id', 'in', oldest).executeTakeFirst();
  return Number(numDeletedRows) >= most;
}

const asLogRow = (row: Selectable<Tables['refusals']>): LogRow => ({
  id: row.id,
  user_id: row.user_id,
  created_at: row.created_at,
  type: logType.refused,
  content: row.message,
  username: row.username,
  token_id: row.token_id,
  token_name: row.token_name,
  model_name: row.model_name,
  quota: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  channel_id: 0,
  request_time: 0,
  is_stream: false,
  source_ip: row.source_ip,
  request_id: row.request_id,
  metadata: {
    group_name: row.group_name,
    endpoint: row.endpoint,
    status: row.status,
    error: row.code,
    refusal: {
      reason: row.reason,
      count: row.count,
      first_time: row.first_time,
      first_request_id: row.first_request_id,
      token_id: row.token_id,
      needed: row.needed,
      many_models: row.many_models,
    },
  },
});
