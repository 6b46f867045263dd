import type { NewChannel, SavedChannel } from '@relay-hub/contract';
import type { Transaction } from 'kysely';
import { baseAddressIn } from '#channel-types/base-address.ts';
import type { Db, Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { limitsText } from '#live/channel-limits.ts';
import { operatorReach } from '#http/outbound/reach.ts';
import { ensureSameDestination } from '#stored-secrets.ts';
import { addKeys, openKeys, sameKeys } from '#features/channel/keys/channel-keys.ts';
import { channelColumns, type ChannelRow, findRow, recordsOf } from './channel-record.ts';
import {
  checkAddress,
  checkGone,
  checkGroups,
  checkOptions,
  checkReach,
  destinationOf,
  otherOf,
  rulesAfter,
  rulesText,
  usableType,
} from './channel-rules.ts';
import {
  type ChannelSecrets,
  hasKept,
  merged,
  noSecrets,
  opened,
  sealed,
} from '#features/channel/keys/channel-secrets.ts';
import { keysIn } from '#features/channel/keys/key-text.ts';

/** Both databases limit the number of values per statement. */
const someAtOnce = 300;

interface CopySource {
  row: ChannelRow;
  secrets: ChannelSecrets;
  keys: { key: string; status: number }[];
}

/**
 * Creates a channel per key, or one with all keys; all or none. With `copy_of`, omitted secrets are copied from that
 * channel, provided that they go to the same destination.
 */
export async function createChannels(
  { db, hour, secrets, live, config, now }: Pick<Deps, 'db' | 'hour' | 'secrets' | 'live' | 'config' | 'now'>,
  { key, one_channel: inOne, copy_of: copyOf, base_url: pasted, name, ...sent }: Omit<NewChannel, 'id'>,
): Promise<SavedChannel[]> {
  const { custom_parameter: _custom, param_override: _override, ...input } = sent;
  const type = usableType(input.type);
  const addresses = baseAddressIn(input.type, pasted, input.plugin);
  const [baseUrls, sentUrls] = [addresses.split('\n'), pasted.split('\n')];
  for (const baseUrl of baseUrls) checkAddress(type, baseUrl);
  checkReach({ base_url: addresses, proxy: input.proxy }, operatorReach({ config, live }));
  const other = otherOf(type, input.other);
  checkGone(input);
  checkOptions(type, input.plugin);
  await checkGroups(db, input.group);
  const given = keysIn(key, type);
  const source = copyOf === 0 ? undefined : await sourceOf({ db, secrets }, copyOf);
  ensure(given.length > 0 || source, 'channel.key_needed', { field: 'key' });
  const ownSecrets = merged(input, source?.secrets ?? noSecrets);
  if (source) {
    const [from, kept] = [destinationOf({ ...source.row, ...source.secrets }), keptBy(input, given.length > 0)];
    for (const base_url of baseUrls) {
      const to = destinationOf({ ...input, ...ownSecrets, base_url });
      ensureSameDestination(from, to, kept, 'channel.key_again');
    }
  }
  const own = sealed(secrets, ownSecrets);
  // Copied keys stay in one channel.
  const sets =
    given.length === 0 ? [source?.keys ?? []] : inOne ? [given.map(plain)] : given.map((one) => [plain(one)]);
  const rows = sets.map((_, i) => ({
    ...input,
    ...own,
    other,
    base_url: baseUrls[i] ?? baseUrls[0] ?? '',
    excluded: input.excluded.join(','),
    disabled_stream: input.disabled_stream.join(','),
    request_rules: rulesText(rulesAfter(sent, []) ?? []),
    limits: limitsText(input.limits),
    name: i === 0 ? name : `${name}_${i + 1}`,
    created_time: now(),
  }));
  return db.transaction().execute(async (trx) => {
    const made = await insertRows(trx, rows);
    const keys = made.flatMap(({ id }, i) => (sets[i] ?? []).map((each) => ({ channel_id: id, ...each })));
    await addKeys(trx, secrets, keys, now());
    const same = given.length === 0 ? undefined : await sameKeys(trx, made);
    const records = await recordsOf(trx, { hour, secrets, live, now }, made);
    return records.map((record, i) => ({
      ...record,
      ...sentAddress(sentUrls[i] ?? sentUrls[0], record),
      ...same?.(record),
    }));
  });
}

/** Names the sent base URL if another one was stored. */
export const sentAddress = (
  sent: string | undefined,
  { base_url: stored }: Pick<ChannelRow, 'base_url'>,
): Pick<SavedChannel, 'base_url_sent'> => (sent === undefined || sent === stored ? {} : { base_url_sent: sent });

const plain = (key: string): { key: string } => ({ key });

async function sourceOf({ db, secrets }: { db: Db } & Pick<Deps, 'secrets'>, id: number): Promise<CopySource> {
  const row = await findRow(db, id);
  return { row, secrets: opened(secrets, row), keys: await openKeys(db, secrets, id) };
}

/** Which secrets of its source a copy keeps. */
const keptBy = ({ model_headers, plugin }: Pick<NewChannel, 'model_headers' | 'plugin'>, hasKey: boolean) => ({
  key: !hasKey,
  model_headers: hasKept(model_headers),
  plugin: hasKept(JSON.stringify(plugin)),
});

type NewRow = Parameters<ReturnType<Transaction<Tables>['insertInto']>['values']>[0];

async function insertRows(trx: Transaction<Tables>, rows: readonly NewRow[]): Promise<ChannelRow[]> {
  const made: ChannelRow[] = [];
  for (let i = 0; i < rows.length; i += someAtOnce) {
    const some = await trx
      .insertInto('channels')
      .values(rows.slice(i, i + someAtOnce) as never)
      .returning(channelColumns)
      .execute();
    made.push(...some);
  }
  return made;
}
