import type { ListQuery, Option, OptionChange, Page } from '@relay-hub/contract';
import { splitList } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { pageOfRows } from '#http/list.ts';
import { isSecret, isSettingKey, parseSetting, type SettingKey, settings } from '#settings.ts';
import { withIds } from '#features/site/chat-links.ts';
import { isObject, listOr, parseJson } from '#json.ts';
import { GROUP_RATIO, groupRatios } from './group-ratio.ts';

/** All settings, with defaults where nothing is stored. */
export async function listOptions(db: Db): Promise<Option[]> {
  const [rows, last] = await Promise.all([
    db.selectFrom('options').select(['key', 'value']).execute(),
    lastChanges(db),
  ]);
  const stored = new Map(rows.filter(isInForce).map(({ key, value }) => [key, value]));
  const optionOf = (key: string, value: string | undefined, fallback: string, secret: boolean): Option => ({
    key,
    value: secret ? '' : (value ?? fallback),
    default_value: fallback,
    secret,
    is_set: value !== undefined,
    changed_time: last.get(key)?.created_time ?? 0,
    changed_by: last.get(key)?.actor ?? '',
  });
  const options = (Object.keys(settings) as SettingKey[]).map((key) =>
    optionOf(key, shownAs(key, stored.get(key)), settings[key].fallback, isSecret(key)),
  );
  return [...options, optionOf(GROUP_RATIO, await groupRatios(db), '{}', false)];
}

function shownAs(key: SettingKey, value: string | undefined): string | undefined {
  const links = key === 'ChatLinks' && value !== undefined ? listOr(parseJson(value)).filter(isObject) : [];
  return links.length > 0 ? JSON.stringify(withIds(links)) : value;
}

/** Values that this version rejects are replaced by the default, see `readSettings`. */
const isInForce = ({ key, value }: { key: string; value: string }): boolean =>
  !isSettingKey(key) || isSecret(key) || parseSetting(key, value).success;

async function lastChanges(db: Db): Promise<Map<string, { created_time: number; actor: string }>> {
  const newest = db
    .selectFrom('option_changes')
    .select(({ fn }) => fn.max('id').as('id'))
    .groupBy('key');
  const rows = await db
    .selectFrom('option_changes as change')
    .leftJoin('users', 'users.id', 'change.actor_id')
    .select(['change.key', 'change.created_time', 'users.username'])
    .where('change.id', 'in', newest)
    .execute();
  return new Map(rows.map(({ key, created_time, username }) => [key, { created_time, actor: username ?? '' }]));
}

export async function listOptionChanges(
  db: Db,
  { key, ...query }: ListQuery & { key: string },
): Promise<Page<OptionChange>> {
  const keys = splitList(key);
  let found = db.selectFrom('option_changes').selectAll();
  if (keys.length > 0) found = found.where('key', 'in', keys);
  const page = await pageOfRows(found, query);
  const actors = [...new Set(page.data.map(({ actor_id }) => actor_id))];
  const users =
    actors.length === 0
      ? []
      : await db.selectFrom('users').select(['id', 'username']).where('id', 'in', actors).execute();
  const names = new Map(users.map(({ id, username }) => [id, username]));
  return {
    ...page,
    data: page.data.map((change) => ({
      ...change,
      secret: isSettingKey(change.key) && isSecret(change.key),
      actor: names.get(change.actor_id) ?? '',
    })),
  };
}

/**
 * A setting's value before a change. Throws `record.not_found`, and `option.secret_history`, because secrets have no
 * history.
 */
export async function valueBefore(db: Db, id: number): Promise<{ key: string; before: string | null }> {
  const change = await db.selectFrom('option_changes').selectAll().where('id', '=', id).executeTakeFirst();
  ensure(change, 'record.not_found', { field: 'id' });
  ensure(!isSettingKey(change.key) || !isSecret(change.key), 'option.secret_history', { field: change.key });
  return change;
}
