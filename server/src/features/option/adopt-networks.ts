import { role } from '@relay-hub/contract';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Kysely, Transaction } from 'kysely';
import type { Logger } from 'pino';
import type { Config } from '#config.ts';
import type { Tables } from '#db/tables.ts';
import { isThisMachine } from '#http/outbound/outbound-lookup.ts';
import { isNeverReached, isPublic } from '#http/outbound/outbound-address.ts';
import { isWithin } from '#http/outbound/reach.ts';
import { hostIn } from '#http/outbound/typed-address.ts';
import { touch } from '#live/revisions.ts';
import type { Secrets } from '#secrets.ts';
import { networkSettings } from '#settings/fetched-settings.ts';
import { readSettings, type Settings } from '#settings.ts';

/** Inserted by the migration of an existing installation. */
const MARK = 'private-networks-adopted';
const LOOKUP_MS = 3000;

interface Upgrade {
  db: Kysely<Tables>;
  secrets: Secrets;
  config: Pick<Config, 'outboundPrivate'>;
  log: Pick<Logger, 'warn'>;
  now: number;
}

/**
 * On the first start after the upgrade, allows the private networks of existing channels, proxies and the mail server,
 * and those in `OUTBOUND_PRIVATE`, so that nothing stops working. Recorded in the audit log and the settings' history.
 * Several nodes may start at once.
 */
export async function adoptPrivateNetworks(upgrade: Upgrade): Promise<void> {
  const { db, config, log } = upgrade;
  const marked = await db.selectFrom('options').where('key', '=', MARK).select('key').executeTakeFirst();
  if (!marked) return;
  const { addresses, channels } = await addressesInUse(upgrade);
  const limit = config.outboundPrivate;
  const listed = typeof limit === 'string' ? [] : limit.rules.map((rule) => rule.slice(rule.lastIndexOf(' ') + 1)); // "Subnet: IPv4 10.0.0.0/8"
  const networks = [...new Set([...listed, ...addresses])];
  await db.transaction().execute(async (trx) => {
    const mine = await trx.deleteFrom('options').where('key', '=', MARK).returning('key').executeTakeFirst();
    if (!mine) return;
    // Picture downloads for callers keep their reach.
    const allowed = { OutboundPrivateNetworks: networks, ChatImagePrivateNetworks: listed };
    for (const key of networkSettings)
      if (allowed[key].length > 0) await writeSetting(trx, key, allowed[key].join(','), { ...upgrade, channels });
    await touch(trx, 'settings');
  });
  const refused = addresses.filter((ip) => limit !== 'allow' && !isWithin(ip, limit));
  if (refused.length > 0)
    log.warn({ addresses: refused, channels }, 'addresses blocked by OUTBOUND_PRIVATE are in use');
}

async function addressesInUse({ db, secrets }: Upgrade): Promise<{ addresses: string[]; channels: number[] }> {
  const options = await db.selectFrom('options').select(['key', 'value']).execute();
  const settings = readSettings(new Map(options.map(({ key, value }) => [key, value])), secrets);
  const rows = await db
    .selectFrom('channels')
    .where('deleted_time', 'is', null)
    .select(['id', 'base_url', 'proxy'])
    .orderBy('id')
    .execute();
  const found = new Set<string>(await addressesOfMail(settings));
  for (const ip of writtenIn(settings.ChatImageRequestProxy)) found.add(ip);
  const channels = rows.filter(({ base_url, proxy }) => {
    const own = [base_url, proxy === '' ? '' : secrets.decrypt(proxy)].flatMap(writtenIn);
    for (const ip of own) found.add(ip);
    return own.length > 0;
  });
  return { addresses: [...found], channels: channels.map(({ id }) => id) };
}

/** Names never resolved to private networks before, except for this machine. */
function writtenIn(address: string): string[] {
  const host = address === '' ? undefined : hostIn(address);
  if (host === undefined) return [];
  return (isThisMachine(host) ? ['127.0.0.1', '::1'] : [host]).filter(isPrivate);
}

/** The mail server was exempt from that rule. */
async function addressesOfMail({ SMTPServer: server }: Settings): Promise<string[]> {
  const host = server === '' ? undefined : hostIn(server);
  if (host === undefined || isIP(host) !== 0 || isThisMachine(host)) return writtenIn(server);
  const late = new Promise<never[]>((resolve) => void setTimeout(() => resolve([]), LOOKUP_MS).unref());
  const found = await Promise.race([lookup(host, { all: true }).catch(() => []), late]);
  return found.map(({ address }) => address).filter(isPrivate);
}

const isPrivate = (ip: string): boolean => isIP(ip) !== 0 && !isPublic(ip) && !isNeverReached(ip);

async function writeSetting(
  trx: Transaction<Tables>,
  key: string,
  value: string,
  { now, channels }: Upgrade & { channels: number[] },
): Promise<void> {
  await trx
    .insertInto('options')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
  await trx
    .insertInto('option_changes')
    .values({ key, before: null, after: value, actor_id: 0, created_time: now })
    .execute();
  await trx
    .insertInto('audit')
    .values({
      created_time: now,
      actor_id: 0,
      actor_name: 'upgrade',
      actor_role: role.root,
      ip: '',
      user_agent: '',
      via: 'command',
      method: 'COMMAND',
      path: 'upgrade',
      kind: 'option',
      object_id: key,
      object_name: '',
      status: 200,
      code: '',
      input: JSON.stringify({ channels: channels.slice(0, 50) }),
      before: 'null',
      after: JSON.stringify({ [key]: value }),
    })
    .execute();
}
