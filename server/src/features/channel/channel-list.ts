import type { Channel, ChannelFilters, ListQuery, Page } from '@relay-hub/contract';
import { channelStatus } from '@relay-hub/contract';
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { sql } from 'kysely';
import { contains, listHas, startsWith } from '#db/dialect-differences.ts';
import type { Db, Tables } from '#db/tables.ts';
import { pageOfRows } from '#http/list.ts';
import { fingerprint, hintsEnding } from '#secrets.ts';
import { channelColumns, recordsOf, type Showing } from './channel-record.ts';

/** An answer that takes longer than this, in milliseconds, is slow. */
const SLOW_MS = 5000;

/** The channels that are not deleted and that a filter finds. */
export function channelsFound({
  frozen,
  ...filters
}: ChannelFilters & { frozen: readonly number[] }): (eb: ExpressionBuilder<Tables, 'channels'>) => Expression<SqlBool> {
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
    if (trouble !== 0) all.push(eb(troubleRank(frozen), '<', 3));
    return eb.and(all);
  };
}

/** The key is one of theirs, or how one of theirs ends: who wants to keep a key out of an address sends only that. */
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

/** How much a channel needs looking after: below 3 something is wrong that nobody chose. */
function troubleRank(frozen: readonly number[]): Expression<number> {
  const { enabled, disabled, testDisabled } = channelStatus;
  const ids = sql.join(frozen.length === 0 ? [0] : frozen);
  return sql<number>`case when status = ${testDisabled} then 1
    when status = ${disabled} then 5
    when status = ${enabled} and id in (${ids}) then 0
    when last_error <> '' then 2
    when response_time > ${SLOW_MS} then 3
    else 4 end`;
}

export async function listChannels(
  db: Db,
  showing: Showing,
  { page, size, order, ...filters }: ListQuery & ChannelFilters,
): Promise<Page<Channel>> {
  const frozen = showing.live.health.frozenChannels(Date.now());
  const found = db
    .selectFrom('channels')
    .where(channelsFound({ ...filters, frozen }))
    .select(channelColumns);
  const rows = await pageOfRows(found, { page, size, order }, { trouble: troubleRank(frozen) });
  return { ...rows, data: await recordsOf(db, showing, rows.data) };
}
