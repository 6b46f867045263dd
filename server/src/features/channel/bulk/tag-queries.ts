import type { Channel, ChannelTag, ListQuery, Page } from '@relay-hub/contract';
import { channelStatus, splitList } from '@relay-hub/contract';
import { contains } from '#db/dialect-differences.ts';
import type { Db } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import {
  channelColumns,
  type ChannelRow,
  recordsOf,
  type ChannelRecordDeps,
} from '#features/channel/channel-record.ts';
import { troublesOf, type TroubleDeps } from '#features/channel/troubled-channels.ts';

const tagged = (db: Db) => db.selectFrom('channels').where('deleted_time', 'is', null).where('tag', '<>', '');

export async function tagNames(db: Db): Promise<{ id: 0; tag: string }[]> {
  const rows = await tagged(db).select('tag').distinct().orderBy('tag').execute();
  return rows.map(({ tag }) => ({ id: 0, tag }));
}

const summed = [
  'tag',
  'id',
  'type',
  'models',
  'group',
  'status',
  'last_error',
  'last_error_time',
  'test_time',
  'priority',
  'used_quota',
] as const;
type TagMember = Pick<ChannelRow, (typeof summed)[number]>;

/** Tags with the totals of their channels. Lists are joined here, because the databases' aggregate functions differ. */
export async function listTags(
  db: Db,
  watching: TroubleDeps,
  { page, size, order, tag, keyword }: ListQuery & { tag: string; keyword: string },
): Promise<Page<ChannelTag>> {
  let found = tagged(db);
  if (tag !== '') found = found.where('tag', '=', tag);
  if (keyword !== '') {
    const hits = tagged(db)
      .where((eb) => eb.or(['tag', 'name', 'models', 'base_url'].map((column) => contains(column, keyword))))
      .select('tag');
    found = found.where('tag', 'in', hits);
  }
  const members = await found.select(summed).orderBy('id').execute();
  const troubles = await troublesOf(db, watching, members);
  const isFailing = ({ id }: TagMember) => troubles.get(id)?.kind === 'failing';
  const tags = [...Map.groupBy(members, (member) => member.tag)].map(([name, of]) => summary(name, of, isFailing));
  const sorted = tags.toSorted(by(order));
  return { data: sorted.slice((page - 1) * size, page * size), page, size, total_count: sorted.length };
}

function summary(tag: string, members: TagMember[], isFailing: (member: TagMember) => boolean): ChannelTag {
  const count = (test: (member: TagMember) => boolean) => members.filter(test).length;
  const together = (column: 'models' | 'group') =>
    [...new Set(members.flatMap((member) => splitList(member[column])))].join(',');
  const priorities = members.map(({ priority }) => priority);
  const { enabled, disabled, testDisabled } = channelStatus;
  return {
    id: 0,
    tag,
    type: members[0]?.type ?? 0,
    types: [...new Set(members.map(({ type }) => type))],
    models: together('models'),
    group: together('group'),
    channels: members.length,
    enabled: count(({ status }) => status === enabled),
    disabled: count(({ status }) => status === disabled),
    test_disabled: count(({ status }) => status === testDisabled),
    failing: count(isFailing),
    priority: Math.max(...priorities),
    lowest_priority: Math.min(...priorities),
    used_quota: members.reduce((sum, { used_quota: used }) => sum + used, 0),
  };
}

/** Sorts like `pageOfRows`, with the name as tie-breaker and default. */
function by(order: string): (a: ChannelTag, b: ChannelTag) => number {
  const terms = [...order.split(',').filter((term) => term.trim() !== ''), 'tag'].map((term) => {
    const column = term.trim().replace(/^-/, '') as keyof ChannelTag; // validated against the list's columns
    return { column, sign: term.trim().startsWith('-') ? -1 : 1 };
  });
  return (a, b) => {
    for (const { column, sign } of terms) {
      if (a[column] !== b[column]) return a[column] < b[column] ? -sign : sign;
    }
    return 0;
  };
}

/** A tag's channels. Throws `record.not_found` if there are none. */
export async function tagRows(db: Db, tag: string): Promise<ChannelRow[]> {
  const rows = await tagged(db).where('tag', '=', tag).select(channelColumns).orderBy('id').execute();
  ensure(rows.length > 0, 'record.not_found', { field: 'tag' });
  return rows;
}

export async function tagMembers(db: Db, showing: ChannelRecordDeps, tag: string): Promise<Channel[]> {
  return recordsOf(db, showing, await tagRows(db, tag));
}

export interface TagRecord extends Channel {
  keys: { channel_id: number; key_hint: string }[];
}

/** A tag's first channel, with the hints of all keys of the tag. */
export async function tagRecord(db: Db, showing: ChannelRecordDeps, tag: string): Promise<TagRecord> {
  const rows = await tagRows(db, tag);
  const [first] = await recordsOf(db, showing, rows.slice(0, 1));
  const keys = await db
    .selectFrom('channel_keys')
    .innerJoin('channels', 'channels.id', 'channel_keys.channel_id')
    .where('channels.tag', '=', tag)
    .where('channels.deleted_time', 'is', null)
    .select(['channel_keys.channel_id', 'channel_keys.key_hint'])
    .orderBy('channel_keys.id')
    .execute();
  ensure(first, 'record.not_found', { field: 'tag' });
  return { ...first, keys };
}
