import { keptSecret, type Language } from '@relay-hub/contract';
import type { Transaction } from 'kysely';
import type { Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { waysBeside } from '#features/account/identity/identity-queries.ts';
import { touch } from '#live/revisions.ts';
import { networksIn } from '#networks.ts';
import { sentSecrets } from '#settings/secret-destinations.ts';
import { withoutPasswords } from '#settings/setting-rules.ts';
import { ensureSameDestination, isSameDestination } from '#stored-secrets.ts';
import { isSecret, readSettings, type SettingKey, type Settings, settings } from '#settings.ts';
import { type RequestedSettings, type CheckedSettings, checkOptions, checkTogether } from './check-options.ts';
import { GROUP_RATIO, groupRatios, writeGroupRatios } from './group-ratio.ts';

type SettingsTrx = Transaction<Tables>;
type StoredSettings = ReadonlyMap<string, string>;

/**
 * Changes settings, all or none, adds `networks` to the allowed private ones, and applies both on this node before it
 * resolves. An empty secret keeps the stored one, null restores the default, and a secret is removed with the address
 * it was entered for. Throws `option.*` and `outbound.private` with the setting's name.
 */
export async function changeOptions(
  deps: Deps,
  requested: RequestedSettings,
  { actorId, language }: { actorId: number; language: Language },
  networks: readonly string[] = [],
): Promise<void> {
  const { db, live } = deps;
  const checked = checkOptions(requested, language, deps);
  const written = db.transaction().execute((trx) => writeAll(trx, checked, { deps, actorId, networks }));
  await live.inForce('settings', written);
  if (checked.groupRatios) await live.changed('groups');
}

async function writeAll(
  trx: SettingsTrx,
  { texts, groupRatios: ratios }: CheckedSettings,
  { deps, actorId, networks }: { deps: Deps; actorId: number; networks: readonly string[] },
): Promise<void> {
  // First, so that a concurrent change is validated against this one's result.
  await touch(trx, 'settings');
  const rows = await trx.selectFrom('options').select(['key', 'value']).execute();
  const before: StoredSettings = new Map(rows.map(({ key, value }) => [key, value]));
  if (networks.length > 0) {
    const allowed = networksIn(before.get('OutboundPrivateNetworks') ?? '');
    texts.set('OutboundPrivateNetworks', [...new Set([...allowed, ...networks])].join(','));
  }
  const after = new Map(before);
  const changed = [...texts].filter(([key, text]) => changes(key, before.get(key) ?? null, text));
  for (const [key, text] of changed)
    if (text === null) after.delete(key);
    else after.set(key, isSecret(key) ? deps.secrets.encrypt(text) : text);
  for (const key of secretsOfRemovedAddresses(
    texts,
    readSettings(before, deps.secrets),
    readSettings(after, deps.secrets),
  )) {
    after.delete(key);
    changed.push([key, null]);
  }
  const settingsAfter = readSettings(after, deps.secrets);
  checkTogether(settingsAfter, new Set(texts.keys()));
  await ensureOwnWayIn(trx, actorId, settingsAfter, new Set(texts.keys()));

  const note = noteOf(trx, actorId, deps.now());
  for (const [key] of changed) {
    await write(trx, key, after.get(key));
    await note(key, readable(key, before.get(key)), readable(key, after.get(key)));
  }
  if (ratios) {
    const earlier = await groupRatios(trx);
    await writeGroupRatios(trx, ratios);
    const later = await groupRatios(trx);
    if (earlier !== later) await note(GROUP_RATIO, earlier, later);
  }
}

/**
 * Secrets to remove along with the address they were entered for. Throws `option.secret_again`, with the secret's name,
 * if it would be sent to another address instead.
 */
function secretsOfRemovedAddresses(texts: CheckedSettings['texts'], before: Settings, after: Settings): SettingKey[] {
  // Secrets in the change itself are new or removed by it.
  const kept = sentSecrets(before, after).filter(({ key }) => !texts.has(key));
  const moved = kept.filter(({ from, to }) => !isSameDestination(from, to));
  for (const { key, from, to } of moved)
    if (to.target !== '') ensureSameDestination(from, to, { [key]: true }, 'option.secret_again');
  return moved.map(({ key }) => key);
}

/** Turning off password sign-in needs another sign-in method. Throws `option.own_way_in`. */
async function ensureOwnWayIn(
  trx: SettingsTrx,
  actorId: number,
  after: Settings,
  changed: ReadonlySet<string>,
): Promise<void> {
  const field = withoutPasswords(after, changed);
  if (field === undefined) return;
  const { passkeys, accounts } = await waysBeside(trx, actorId, after);
  ensure(passkeys + accounts > 0, 'option.own_way_in', { field });
}

/** An entered secret always counts as new, so as not to reveal whether it is the same. */
function changes(key: SettingKey, before: string | null, after: string | null): boolean {
  if (before === after) return false;
  return isSecret(key) || (before ?? settings[key].fallback) !== (after ?? settings[key].fallback);
}

const readable = (key: SettingKey, stored: string | undefined): string | null =>
  stored === undefined ? null : isSecret(key) ? keptSecret : stored;

async function write(trx: SettingsTrx, key: SettingKey, value: string | undefined) {
  if (value === undefined) return trx.deleteFrom('options').where('key', '=', key).execute();
  return trx
    .insertInto('options')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}

const noteOf =
  (trx: SettingsTrx, actor_id: number, created_time: number) =>
  (key: string, before: string | null, after: string | null) =>
    trx.insertInto('option_changes').values({ key, before, after, actor_id, created_time }).execute();
