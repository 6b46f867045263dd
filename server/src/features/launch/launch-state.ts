import type { IncomingMessage } from 'node:http';
import type { LaunchItem } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import { priceGaps, unpricedModels } from '#features/price/unpriced-models.ts';
import { isSecure } from '#http/client-ip.ts';

/** A backup of the last days counts, whatever made it. */
const RECENT_S = 7 * 86_400;

type LaunchDeps = Pick<Deps, 'config' | 'db' | 'live' | 'mailer' | 'now'>;

/** The state of each item, read now; for `prices` and `fees`, the number of models or prices with a gap. */
export async function launchState(
  deps: LaunchDeps,
  request: IncomingMessage,
): Promise<Record<LaunchItem, boolean | number>> {
  const { config, live, mailer } = deps;
  const { ServerAddress: address, RegisterEnabled, QuotaForNewUser, ResponseStoreHours, TopUpLink } = live.settings;
  return {
    address: isPublicAddress(address),
    tls: address.startsWith('https:') || isSecure(request, config.trustedProxies),
    mail: mailer.isSetUp(),
    backup: await isBackedUp(deps),
    // A site without registration gives nothing away.
    gift: QuotaForNewUser > 0 || !RegisterEnabled,
    prices: unpricedModels(live).length,
    fees: priceGaps(live, deps.now()).length,
    gateway: TopUpLink !== '' || (await hasGateway(deps)),
    alerts: await isAlertSeen(deps),
    store: ResponseStoreHours > 0,
  };
}

function isPublicAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { hostname } = new URL(address);
  return !/^(?:localhost|.*\.localhost|127\..*|\[::1\]|0\.0\.0\.0)$/.test(hostname);
}

/** A schedule whose last backup did not fail, or a recent backup of another cause. */
async function isBackedUp({ db, live, now }: LaunchDeps): Promise<boolean> {
  const last = await db
    .selectFrom('backups')
    .where('state', '<>', 'running')
    .select(['state', 'ended_time'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!last) return live.settings.BackupEnabled;
  return last.state === 'done' && (live.settings.BackupEnabled || last.ended_time > now() - RECENT_S);
}

async function hasGateway({ db }: LaunchDeps): Promise<boolean> {
  const found = await db
    .selectFrom('payment_gateways')
    .where('enable', '=', true)
    .where('deleted_time', 'is', null)
    .select('id')
    .limit(1)
    .execute();
  return found.length > 0;
}

/** Whether the arrival of a test message was confirmed for a way in use. */
async function isAlertSeen({ db }: LaunchDeps): Promise<boolean> {
  const found = await db
    .selectFrom('ways')
    .where('user_id', '=', 0)
    .where('enabled', '=', true)
    .where('confirmed_at', '>', 0)
    .select('id')
    .limit(1)
    .execute();
  return found.length > 0;
}
