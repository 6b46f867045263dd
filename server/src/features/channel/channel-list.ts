import type { Channel, ChannelFilters, ListQuery, Page } from '@relay-hub/contract';
import { channelStatus } from '@relay-hub/contract';
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { sql } from 'kysely';
import { contains, listHas, startsWith } from '#db/dialect-differences.ts';
import type { Db, Tables } from '#db/tables.ts';
import { pageOfRows } from '#http/list.ts';
import { fingerprint, hintsEnding } from '#secrets.ts';
import { channelColumns, recordsOf, type ChannelRecordDeps } from './channel-record.ts';
import { troubledChannels } from './troubled-channels.ts';

/** Response time that counts as slow, in milliseconds. */
const SLOW_MS = 5000;

/** Existing channels that match a filter; `troubled` comes from `troubledChannels`. */
export function channelsFound({
  troubled,
  ...filters
}: ChannelFilters & { troubled: readonly number[] }): (
  eb: ExpressionBuilder<Tables, 'channels'>,
) => Expression<SqlBool> {
  const { keyword, name, models, group, tag, type, status, other, test_model, key, filter_tag, trouble } = filters;
  return (eb) => {
    const all: Expression<SqlBool>[] = [eb('deleted_time', 'is', null)];
    if (keyword !== '')
      all.push(eb.or(['name', 'models', 'tag', 'base_url'].map((column) => contains(column, keyword))));
    if (name !== '') all.push(contains('name', name));
    if (models !== '') all.push(contains('models', models));
    if (group !== '') all.push(listHas('group', group));
    if (tag !== '') all.push(eb('tag', '=', tag));
    if (type !== 0) all.push(eb('type', '=', type));
    if (status !== 0) all.push(eb('status', '=', status));
    if (other !== '') all.push(startsWith('other', other));
    if (test_model !== '') all.push(startsWith('test_model', test_model));
    if (key !== '') all.push(holdsKey(eb, key));
    if (filter_tag === '1' || filter_tag === 'true') all.push(eb('tag', '=', ''));
    if (filter_tag === '2') all.push(eb('tag', '<>', ''));
    if (trouble !== 0) all.push(among(troubled));
    return eb.and(all);
  };
}

/** Matches a whole key or the end of one, so that a client can keep the full key out of the URL. */
function holdsKey(eb: ExpressionBuilder<Tables, 'channels'>, key: string): Expression<SqlBool> {
  const hints = hintsEnding(key);
  const keys = eb
    .selectFrom('channel_keys')
    .where((each) => {
      const same = each('key_hash', '=', fingerprint(key));
      return hints.length === 0 ? same : each.or([same, each('key_hint', 'in', hints)]);
    })
    .select('channel_keys.channel_id');
  return eb('id', 'in', keys);
}

/** Inlined, because there may be more ids than a statement has parameters. */
const among = (ids: readonly number[]): Expression<SqlBool> =>
  ids.length === 0 ? sql.lit(false) : sql<SqlBool>`id in (${sql.join(ids.map((id) => sql.lit(id)))})`;

/** Number of troubled channels that the sort order distinguishes. */
const MOST_RANKED = 500;

/** Rank by severity of trouble, the most severe first. */
function troubleRank(troubled: readonly number[]): Expression<number> {
  const ranks = troubled
    .slice(0, MOST_RANKED)
    .map((id, at) => sql`when id = ${sql.lit(id)} then ${sql.lit(at - MOST_RANKED)}`);
  return sql<number>`case ${sql.join(ranks, sql` `)}
    when ${among(troubled)} then 1
    when status = ${channelStatus.disabled} then 5
    when last_error <> '' then 2
    when response_time > ${SLOW_MS} then 3
    else 4 end`;
}

export async function listChannels(
  db: Db,
  showing: ChannelRecordDeps,
  { page, size, order, ...filters }: ListQuery & ChannelFilters,
): Promise<Page<Channel>> {
  const needsTrouble = filters.trouble !== 0 || /\btrouble\b/u.test(order);
  const troubled = needsTrouble ? [...(await troubledChannels(db, showing)).keys()] : [];
  const found = db
    .selectFrom('channels')
    .where(channelsFound({ ...filters, troubled }))
    .select(channelColumns);
  const rows = await pageOfRows(found, { page, size, order }, { trouble: troubleRank(troubled) });
  return { ...rows, data: await recordsOf(db, showing, rows.data) };
}
