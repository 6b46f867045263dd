import type { Attempt, FailedCall, FailureKind, LogMetadata } from '@relay-hub/contract';
import { sql } from 'kysely';
import { byIndex } from '#db/dialect-differences.ts';
import type { Db } from '#db/tables.ts';
import { findPage } from '#features/log/log-page.ts';
import type { LogSearch } from '#features/log/log-search.ts';
import { quick } from '#features/log/log-walk.ts';
import { withoutPlaces } from '#private-places.ts';
import { kindOfAttempt } from '#quota/attempt-kinds.ts';

/** Failed calls that are listed. */
const LISTED = 8;
/** Latest calls of the server among which attempts at a channel are found that another channel made up for. */
export const SEARCHED_FOR_RESCUES = 2000;

const columns = [
  'id',
  'created_at',
  'model_name',
  'username',
  'token_name',
  'channel_id',
  'failed',
  'metadata',
] as const;

interface Row {
  id: number;
  created_at: number;
  model_name: string;
  username: string;
  token_name: string;
  channel_id: number;
  failed: boolean;
  metadata: LogMetadata | null;
}

/** The latest failed calls of a search. */
export async function failedCalls(db: Db, search: LogSearch): Promise<Row[]> {
  const page = { page: 1, size: LISTED, order: '', after: '', before: '' };
  const { places } = await findPage(db, { ...search, failed: true }, page, { going: 'desc', budget: quick });
  const ids = places.map(({ id }) => id);
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('logs').where('id', 'in', ids).select(columns).execute();
  return rows.toSorted((a, b) => b.created_at - a.created_at || b.id - a.id);
}

/** The latest failed attempts at a channel, also those of calls that another channel answered. */
export async function failuresOfChannel(db: Db, search: LogSearch, channelId: number): Promise<Row[]> {
  const rows = await failedCalls(db, search);
  const newest = db
    .selectFrom(byIndex(db, 'logs', 'logs_created'))
    .where('created_at', '>=', search.from)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(SEARCHED_FOR_RESCUES)
    .select([...columns]);
  const rescued = await db
    .selectFrom(newest.as('newest'))
    .where('newest.channel_id', '<>', channelId)
    // Each attempt begins with the channel's id, see the contract's `attempt`.
    .where(sql<boolean>`cast(newest.metadata as text) like ${`%"channel_id":${channelId},%`}`)
    .orderBy('newest.created_at', 'desc')
    .orderBy('newest.id', 'desc')
    .limit(LISTED)
    .selectAll('newest')
    .execute();
  return [...rows, ...rescued].toSorted((a, b) => b.created_at - a.created_at || b.id - a.id).slice(0, LISTED);
}

/** Filter of a list of failed calls. `channelId`: the channel whose attempts failed; absent: the last one of each call. */
export async function shownFailures(
  db: Db,
  rows: readonly Row[],
  { channelId, own = false }: { channelId?: number; own?: boolean },
): Promise<FailedCall[]> {
  const names = await channelNames(
    db,
    rows.map((row) => row.channel_id),
  );
  return rows.map((row) => {
    const failed = channelId === undefined ? lastAttempt(row) : lastAttempt(row, channelId);
    const { id, created_at, model_name, username, token_name, channel_id } = row;
    const rescued = channelId !== undefined && channel_id !== channelId && !row.failed;
    return {
      id,
      created_at,
      model_name,
      username,
      token_name,
      channel_id: own ? 0 : channel_id,
      channel_name: own ? '' : (names.get(channel_id) ?? ''),
      kind: kindOf(failed),
      status: failed?.status ?? row.metadata?.status ?? 0,
      message: messageOf(row, failed, own),
      rescued_by: rescued ? { id: channel_id, name: names.get(channel_id) ?? '' } : null,
    };
  });
}

/** Owners see messages without the operator's addresses, as in their log. */
function messageOf({ metadata }: Row, failed: Attempt | undefined, own: boolean): string {
  const text = failed?.message ?? metadata?.error ?? '';
  return own ? withoutPlaces(failed?.shown ?? text) : text;
}

function lastAttempt({ metadata }: Row, channelId?: number): Attempt | undefined {
  const attempts = metadata?.attempts ?? [];
  if (channelId === undefined) return attempts.at(-1);
  return attempts.findLast((each) => each.channel_id === channelId && each.result !== 'ok');
}

function kindOf(failed: Attempt | undefined): FailureKind {
  const kind = failed ? kindOfAttempt(failed) : 'other';
  return kind === 'ok' ? 'other' : kind;
}

/** Names of channels, deleted ones included. */
export async function channelNames(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  const known = [...new Set(ids)].filter((id) => id > 0);
  if (known.length === 0) return new Map();
  const rows = await db.selectFrom('channels').where('id', 'in', known).select(['id', 'name']).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
