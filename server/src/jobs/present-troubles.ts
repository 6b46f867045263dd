import { channelStatus, type IncidentKind, isGrave } from '@relay-hub/contract';
import { callKinds, callTroubles, refusedLately, slowChannels, WINDOW_MIN } from '#alarms/call-troubles.ts';
import { isEnding, tokenSpan } from '#alarms/certificates.ts';
import { openIncidents, type PresentTrouble } from '#alarms/incidents.ts';
import type { Deps } from '#deps.ts';
import { lastSlot } from '#features/backup/backup-schedule.ts';
import { UsualSpeeds } from '#features/channel/usual-speeds.ts';
import { channelTroubles, SIGN_MINUTES } from '#live/hour/channel-troubles.ts';
import { livingNodes, nameOf } from './open-calls.ts';
import { publishedTroubles } from './local-troubles.ts';

type TroubleDeps = Pick<Deps, 'db' | 'hour' | 'live' | 'nodeId' | 'now'>;
type Minutes = Awaited<ReturnType<Deps['hour']['sinceOnAll']>>;

/** A provider account with less than this is an incident, until it has a little more. */
const LOW_BALANCE = 5;
const BALANCE_AGAIN = 5.5;
const USAGE_S = 3600;
const GATEWAY_S = 3600;
/** A backup that runs may take this long after its time. */
const BACKUP_LATE_S = 6 * 3600;
/** How long calls that cost more than the balance had are an incident. */
const SHORTFALL_S = 900;
/** A lost node is an incident until a process of its host runs, at most this long. */
const LOST_S = 3600;
/** A restarted process may have run for this long before the one before is known to be lost. */
const RESTART_S = 600;
const DAY_S = 86_400;
const USUAL_DAYS = 7;

/** All kinds: each round finds all troubles, and what it does not find is over. */
export const settled: readonly IncidentKind[] = [
  ...callKinds,
  'database',
  'storage',
  'channel',
  'key',
  'balance',
  'slow',
  'refusals',
  'usage',
  'shortfall',
  'node',
  'journal',
  'disk',
  'backup',
  'job',
  'gateway',
  'certificate',
  'credential',
  'way',
];

/** The troubles that the database and the calls of all nodes show. */
export async function troublesNow(deps: TroubleDeps, speeds = new UsualSpeeds()): Promise<PresentTrouble[]> {
  const { db, hour, live, now } = deps;
  const minutes = await hour.sinceOnAll(Math.floor(now() / 60) - SIGN_MINUTES + 1);
  const down = await openIncidents(db, 'model');
  const found = await Promise.all([
    troublesOfChannels(deps, minutes, await speeds.get(db, now())),
    keyTroubles(deps),
    refusalTroubles(deps, minutes),
    shortfallTroubles(deps),
    backupTroubles(deps),
    gatewayTroubles(deps),
    wayTroubles(deps),
    lostNodes(deps),
    publishedTroubles(db, deps.nodeId),
  ]);
  return [
    ...endingKeys(deps),
    ...callTroubles({
      minutes,
      down: new Set(down.keys()),
      hasPrice: (model) => live.prices.find(model) !== undefined,
      poor: live.settings.SuccessRatePoor,
      now: now(),
    }),
    ...found.flat(),
  ];
}

/** Channels that fail, with little money, or with impossible usage. */
async function troublesOfChannels(
  { db, live, now }: TroubleDeps,
  minutes: Minutes,
  speeds: Awaited<ReturnType<UsualSpeeds['get']>>,
): Promise<PresentTrouble[]> {
  const channels = await db
    .selectFrom('channels')
    .where('deleted_time', 'is', null)
    .where('status', '<>', channelStatus.disabled)
    .select(['id', 'name', 'status', 'last_error', 'last_error_time', 'test_time', 'usage_warning'])
    .select(['balance', 'balance_currency', 'balance_updated_time', 'balance_error'])
    .execute();
  const facts = { minutes, now: now(), poor: live.settings.SuccessRatePoor };
  const failing = await channelTroubles(db, facts, channels);
  const poor = await openIncidents(db, 'balance');
  const slow = slowChannels(minutes, speeds, { boundMs: live.settings.ChannelDisableThreshold * 1000, now: now() });
  return channels.flatMap((channel) => {
    const { id, name, usage_warning: warning, balance } = channel;
    const object = String(id);
    const troubles: PresentTrouble[] = [];
    const trouble = failing.get(id);
    if (trouble) {
      const { attempts, failures: failed, minutes: within, reason } = trouble;
      troubles.push({
        kind: 'channel',
        object,
        severity: isGrave(trouble) ? 'error' : 'warning',
        params: { channel: id, name, attempts, failed, minutes: within },
        cause: channel.last_error || (reason ?? ''),
      });
    }
    const late = slow.get(id);
    if (late)
      troubles.push({
        kind: 'slow',
        object,
        severity: 'warning',
        params: { channel: id, name, seconds: tenths(late.median), limit: tenths(late.limit), minutes: WINDOW_MIN },
      });
    const low = poor.has(object) ? BALANCE_AGAIN : LOW_BALANCE;
    if (channel.balance_updated_time > 0 && channel.balance_error === '' && balance < low)
      troubles.push({
        kind: 'balance',
        object,
        severity: balance <= 0 ? 'error' : 'warning',
        params: { channel: id, name, balance: Math.round(balance * 100) / 100, currency: channel.balance_currency },
      });
    const usage = warning === '' ? undefined : (JSON.parse(warning) as { time: number; model: string });
    if (usage && usage.time > now() - USAGE_S)
      troubles.push({
        kind: 'usage',
        object,
        severity: 'warning',
        params: { channel: id, name, model: usage.model },
      });
    return troubles;
  });
}

const tenths = (ms: number): number => Math.round(ms / 100) / 10;

async function keyTroubles({ db }: TroubleDeps): Promise<PresentTrouble[]> {
  const keys = await db
    .selectFrom('channel_keys as k')
    .innerJoin('channels as c', 'c.id', 'k.channel_id')
    .where('k.status', '=', channelStatus.testDisabled)
    .where('c.status', '=', channelStatus.enabled)
    .where('c.deleted_time', 'is', null)
    .select(['k.id', 'k.channel_id', 'k.reason', 'c.name'])
    .execute();
  return keys.map(({ id, channel_id: channel, reason, name }) => ({
    kind: 'key',
    object: String(id),
    severity: 'warning',
    params: { key: id, channel, name },
    cause: reason,
  }));
}

/** Keys of channels that are tokens with an end, shortly before it and after it. */
function endingKeys({ live, now }: TroubleDeps): PresentTrouble[] {
  return [...live.routes.channels()].flatMap(({ id: channel, name, keys }) =>
    keys.flatMap(({ id, key }) => {
      const span = tokenSpan(key);
      if (!span || !isEnding(span, now())) return [];
      const days = Math.floor((span.to - now()) / DAY_S);
      const severity = days < 3 ? ('error' as const) : ('warning' as const);
      return [{ kind: 'credential' as const, object: String(id), severity, params: { key: id, channel, name, days } }];
    }),
  );
}

async function backupTroubles({ db, live, now }: TroubleDeps): Promise<PresentTrouble[]> {
  const last = await db
    .selectFrom('backups')
    .where('state', '<>', 'running')
    .select(['state', 'error', 'ended_time'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  const trouble = (cause: string): PresentTrouble[] => [
    { kind: 'backup', object: '', severity: 'error', params: {}, cause },
  ];
  if (last?.state === 'failed') return trouble(last.error);
  const { settings } = live;
  if (!settings.BackupEnabled || !last) return [];
  const due = lastSlot(settings, now() - BACKUP_LATE_S);
  return last.ended_time < due ? trouble('') : [];
}

async function gatewayTroubles({ db, now }: TroubleDeps): Promise<PresentTrouble[]> {
  const gateways = await db
    .selectFrom('payment_gateways')
    .where('enable', '=', true)
    .where('deleted_time', 'is', null)
    .where('last_refused_at', '>', now() - GATEWAY_S)
    .whereRef('last_refused_at', '>', 'last_notice_at')
    .select(['id', 'name'])
    .execute();
  return gateways.map(({ id, name }) => ({
    kind: 'gateway',
    object: String(id),
    severity: 'error',
    params: { gateway: id, name },
  }));
}

/** Ways of the site by which messages were given up. */
async function wayTroubles({ db }: TroubleDeps): Promise<PresentTrouble[]> {
  const ways = await db
    .selectFrom('ways')
    .where('user_id', '=', 0)
    .where('failures', '>', 0)
    .select(['id', 'kind', 'name', 'failure'])
    .execute();
  return ways.map(({ id, kind, name, failure }) => ({
    kind: 'way',
    object: String(id),
    severity: 'error',
    params: { way: id, name: name || kind },
    cause: failure,
  }));
}

/** Refused calls of the last minutes, where they are far more than usual at this hour. */
async function refusalTroubles({ db, now }: TroubleDeps, minutes: Minutes): Promise<PresentTrouble[]> {
  const open = (await openIncidents(db, 'refusals')).has('');
  const lately = refusedLately(minutes, now());
  if (!lately.isMany) return [];
  const hour = now() - (now() % 3600);
  const days = Array.from({ length: USUAL_DAYS }, (_, at) => hour - (at + 1) * DAY_S);
  const rows = await db
    .selectFrom('refusals')
    .where('created_at', '>=', days.at(-1) ?? hour)
    .where('hour', 'in', days)
    .select(({ fn }) => fn.sum<number>('count').as('count'))
    .groupBy('hour')
    .execute();
  // A day without a row had none.
  const counts = [...rows.map(({ count }) => count), ...days.slice(rows.length).map(() => 0)].toSorted((a, b) => a - b);
  const usual = Math.round(((counts[Math.floor(USUAL_DAYS / 2)] ?? 0) * WINDOW_MIN) / 60);
  if (!lately.isAbove(usual, open)) return [];
  const { count, reason, username } = lately;
  return [
    {
      kind: 'refusals',
      object: '',
      severity: 'warning',
      params: { count, usual, minutes: WINDOW_MIN },
      cause: [reason, username].filter((part) => part !== '').join(' · '),
    },
  ];
}

async function shortfallTroubles({ db, now }: TroubleDeps): Promise<PresentTrouble[]> {
  const { calls, credits } = await db
    .selectFrom('shortfalls')
    .where('created_at', '>', now() - SHORTFALL_S)
    .select(({ fn }) => [fn.countAll<number>().as('calls'), fn.sum<number | null>('credits').as('credits')])
    .executeTakeFirstOrThrow();
  if (calls === 0) return [];
  return [{ kind: 'shortfall', object: '', severity: 'warning', params: { calls, credits: credits ?? 0 } }];
}

/** Lost nodes whose host has no process since. They were opened when their calls were released. */
async function lostNodes({ db, nodeId, now }: TroubleDeps): Promise<PresentTrouble[]> {
  const open = await openIncidents(db, 'node');
  if (open.size === 0) return [];
  const isAlive = await livingNodes(db);
  const nodes = await db.selectFrom('nodes').selectAll().execute();
  const living = nodes.filter((node) => node.id === nodeId || isAlive(node));
  return [...open.values()].flatMap(({ kind, object, severity, params, cause, opened_at: at }) => {
    const isBack = living.some((node) => nameOf(node) === object && node.started_time >= at - RESTART_S);
    return isBack || now() - at > LOST_S ? [] : [{ kind, object, severity, params, cause }];
  });
}
