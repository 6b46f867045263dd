import { channelStatus } from '@relay-hub/contract';
import type { openStorage } from '../../server/src/db/open.ts';
import { fingerprint, hintOf, randomText, type Secrets } from '../../server/src/secrets.ts';

type Db = ReturnType<typeof openStorage>['db'];

interface Pool {
  channelId: number;
  /** Further keys of the channel; the second one fails often. */
  more: number;
  /** Seconds. */
  since: number;
  random: () => number;
}

/** Adds a key to a channel; `since`: Unix seconds. */
export async function addKey(
  db: Db,
  secrets: Secrets,
  { channelId, since }: { channelId: number; since: number },
): Promise<void> {
  const key = `sk-${randomText(40)}`;
  await db
    .insertInto('channel_keys')
    .values({
      channel_id: channelId,
      key_hash: fingerprint(key),
      key_cipher: secrets.encrypt(key),
      key_hint: hintOf(key),
      status: channelStatus.enabled,
      created_time: since,
    })
    .execute();
}

/** Gives a channel further keys, and divides its attempts of the last days between all of its keys. */
export async function seedKeys(db: Db, secrets: Secrets, pool: Pool): Promise<void> {
  const { channelId, more, since, random } = pool;
  for (let n = 0; n < more; n++) await addKey(db, secrets, { channelId, since });
  const keys = await db.selectFrom('channel_keys').where('channel_id', '=', channelId).select('id').execute();
  const attempts = await db
    .selectFrom('attempts_by_channel')
    .where('channel_id', '=', channelId)
    .where('hour', '>=', since)
    .where('kind', 'not in', ['request', 'caller'])
    .selectAll()
    .execute();
  const rows = new Map<
    string,
    { channel_id: number; hour: number; key_id: number; attempts: number; failures: number }
  >();
  for (const { hour, kind, attempts: count } of attempts)
    for (let n = 0; n < count; n++) {
      const failing = kind === 'ok' ? random() : random() / 2;
      const key = keys[Math.floor(failing * keys.length)] ?? keys[0];
      if (!key) continue;
      const row = rows.get(`${hour} ${key.id}`) ?? {
        channel_id: channelId,
        hour,
        key_id: key.id,
        attempts: 0,
        failures: 0,
      };
      row.attempts++;
      if (kind !== 'ok') row.failures++;
      rows.set(`${hour} ${key.id}`, row);
    }
  if (rows.size > 0)
    await db
      .insertInto('attempts_by_key')
      .values([...rows.values()])
      .execute();
}
