import { statfs } from 'node:fs/promises';
import { channelStatus, type IncidentKind } from '@relay-hub/contract';
import { attemptsOf, callKinds, callTroubles, CALLS_MIN, isChannelFailing, WINDOW_MIN } from '#alarms/call-troubles.ts';
import {
  type DeliverDeps,
  forgetDeliveries,
  planDeliveries,
  send,
  sendDeliveries,
  type WayRow,
} from '#alarms/deliver.ts';
import { incidentText } from '#alarms/alarm-texts.ts';
import { type IncidentRow, openIncidents, settleIncidents, type PresentTrouble } from '#alarms/incidents.ts';
import { asError } from '#caught-error.ts';
import { lastSlot } from '#features/backup/backup-schedule.ts';
import type { Deps } from '#deps.ts';
import { isFirstNode } from './first-node.ts';
import { failingJobs, repeat } from './repeat.ts';

export type AlarmDeps = DeliverDeps & Pick<Deps, 'book' | 'hour' | 'live' | 'nodeId' | 'storage'>;

const EVERY_MS = 15_000;
const SEND_MS = 2_000;
const CLEAN_S = 3600;
/** Silence of the database from which on it is an incident. */
const SILENT_S = 20;
/** A provider account with less than this is an incident, until it has a little more. */
const LOW_BALANCE = 5;
const BALANCE_AGAIN = 5.5;
const DISK_PERCENT = 90;
const DISK_GRAVE_PERCENT = 97;
const USAGE_S = 3600;
const GATEWAY_S = 3600;
/** Failed rounds of a job that runs every minute or so. */
const JOB_ROUNDS = 3;
/** A backup that runs may take this long after its time. */
const BACKUP_LATE_S = 6 * 3600;

/** Finds troubles on one of the nodes, and delivers messages on every node. Returns a handle that stops both. */
export function watchIncidents(deps: AlarmDeps): { stop(): Promise<void> } {
  const watch = new IncidentWatch(deps);
  const look = repeat({ everyMs: EVERY_MS, failure: 'incidents were not looked for', log: deps.log }, () =>
    watch.round(),
  );
  const told = repeat({ everyMs: SEND_MS, failure: 'messages were not sent', log: deps.log }, (isOver) =>
    deliverOnce(deps, isOver),
  );
  return {
    async stop() {
      await look.stop();
      await told.stop();
    },
  };
}

/** Plans deliveries of new events, and sends the deliveries that are due. */
export async function deliverOnce(deps: AlarmDeps, isOver: () => boolean = () => false): Promise<void> {
  await planDeliveries(deps);
  await sendDeliveries(deps, isOver);
}

/** Looks for troubles; an outage of the database is sent without it. */
export class IncidentWatch {
  readonly #deps: AlarmDeps;
  /** As of the last round that could read them. */
  #ways: WayRow[] = [];
  #silentSince = 0;
  #isToldDirectly = false;
  #cleaned = 0;

  constructor(deps: AlarmDeps) {
    this.#deps = deps;
  }

  /** One look. Throws what the database throws. */
  async round(): Promise<void> {
    const { db, now } = this.#deps;
    const since = this.#silentSince;
    try {
      if (!(await isFirstNode(this.#deps))) return;
      this.#ways = await db
        .selectFrom('ways')
        .where('user_id', '=', 0)
        .where('enabled', '=', true)
        .selectAll()
        .execute();
      const silence = since > 0 && now() - since >= SILENT_S ? [silent(since, now())] : [];
      await settleIncidents(db, [...silence, ...(await troublesNow(this.#deps))], settled, now());
      if (now() - this.#cleaned > CLEAN_S) {
        await forgetDeliveries(this.#deps);
        this.#cleaned = now();
      }
      this.#silentSince = 0;
      this.#isToldDirectly = false;
    } catch (error) {
      this.#silentSince = since || now();
      if (now() - this.#silentSince >= SILENT_S) await this.#tellDirectly(error);
      throw error;
    }
  }

  /** Once per outage, by the ways that were known before it. */
  async #tellDirectly(error: unknown): Promise<void> {
    if (this.#isToldDirectly) return;
    this.#isToldDirectly = true;
    const { live, log, now } = this.#deps;
    const { params } = silent(this.#silentSince, now());
    const { title, advice } = incidentText('database', params, live.settings.Language);
    const message = {
      id: `msg_outage_${this.#silentSince}`,
      type: 'incident.opened',
      object: 'database',
      severity: 'critical' as const,
      isOver: false,
      title,
      lines: [asError(error).message, advice],
      link: '',
      data: { kind: 'database', params },
      time: this.#silentSince,
      now: now(),
      replyTo: '',
    };
    for (const way of this.#ways)
      try {
        await send(this.#deps, way, message);
      } catch (failure) {
        log.warn({ err: failure }, 'the outage of the database was not told');
      }
  }
}

const silent = (since: number, now: number): PresentTrouble => ({
  kind: 'database',
  object: '',
  severity: 'critical',
  params: { seconds: now - since },
  beganAt: since,
});

/** All kinds: each round finds all troubles, and what it does not find is over. */
const settled: readonly IncidentKind[] = [
  ...callKinds,
  'database',
  'storage',
  'channel',
  'key',
  'balance',
  'usage',
  'disk',
  'backup',
  'job',
  'gateway',
  'way',
];

async function troublesNow(deps: AlarmDeps): Promise<PresentTrouble[]> {
  const { db, hour, live, now } = deps;
  const minutes = await hour.sinceOnAll(Math.floor(now() / 60) - CALLS_MIN + 1);
  const down = await openIncidents(db, 'model');
  const found = await Promise.all([
    channelTroubles(deps, minutes),
    keyTroubles(deps),
    diskTroubles(deps),
    backupTroubles(deps),
    gatewayTroubles(deps),
    wayTroubles(deps),
  ]);
  return [
    ...callTroubles({
      minutes,
      down: new Set(down.keys()),
      hasPrice: (model) => live.prices.find(model) !== undefined,
      poor: live.settings.SuccessRatePoor,
      now: now(),
    }),
    ...found.flat(),
    ...storageTroubles(deps),
    ...jobTroubles(deps),
  ];
}

/** Channels that fail, with little money, or with impossible usage. */
async function channelTroubles(
  { db, now }: AlarmDeps,
  minutes: Awaited<ReturnType<AlarmDeps['hour']['sinceOnAll']>>,
): Promise<PresentTrouble[]> {
  const channels = await db
    .selectFrom('channels')
    .where('deleted_time', 'is', null)
    .where('status', '<>', channelStatus.disabled)
    .select(['id', 'name', 'status', 'last_error', 'last_error_time', 'test_time', 'usage_warning'])
    .select(['balance', 'balance_currency', 'balance_updated_time', 'balance_error'])
    .execute();
  const open = await openIncidents(db, 'channel');
  const poor = await openIncidents(db, 'balance');
  const closed = await lastClosed(db, now() - WINDOW_MIN * 60);
  return channels.flatMap((channel) => {
    const { id, name, usage_warning: warning, balance } = channel;
    const object = String(id);
    const of = attemptsOf(minutes, id, now(), closed.get(object) ?? 0);
    const troubles: PresentTrouble[] = [];
    if (isFailing(channel, of, open.get(object)))
      troubles.push({
        kind: 'channel',
        object,
        severity: 'error',
        params: { channel: id, name, attempts: of.attempts, failed: of.failed, minutes: WINDOW_MIN },
        cause: channel.last_error || (of.worst ?? ''),
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

interface ChannelState {
  status: number;
  last_error: string;
  last_error_time: number;
  test_time: number;
}

/** Switched off by itself, failing in calls, or failed in its last test with no success since. */
function isFailing(
  { status, last_error: error, last_error_time: failedTest, test_time: tested }: ChannelState,
  of: ReturnType<typeof attemptsOf>,
  open: IncidentRow | undefined,
): boolean {
  if (status === channelStatus.testDisabled) return true;
  const testFailed = error !== '' && tested > 0 && failedTest === tested;
  if (testFailed) return of.okAt <= tested;
  // A test that passed after the last failure ends it.
  if (open && error === '' && tested >= Math.max(open.opened_at, of.failedAt)) return false;
  return isChannelFailing(of, open !== undefined);
}

/** When incidents of channels ended lately: failures from before do not open them again. */
async function lastClosed(db: AlarmDeps['db'], since: number): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('incidents')
    .where('closed_at', '>=', since)
    .where('kind', '=', 'channel')
    .select(['object', (eb) => eb.fn.max<number>('closed_at').as('at')])
    .groupBy('object')
    .execute();
  return new Map(rows.map(({ object, at }) => [object, at]));
}

async function keyTroubles({ db }: AlarmDeps): Promise<PresentTrouble[]> {
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

function storageTroubles({ storage, book }: AlarmDeps): PresentTrouble[] {
  const cause = storage.damage.reason ?? (book.isWritable() ? undefined : 'storage is full');
  return cause === undefined ? [] : [{ kind: 'storage', object: '', severity: 'critical', params: {}, cause }];
}

async function diskTroubles({ config }: AlarmDeps): Promise<PresentTrouble[]> {
  const { blocks, bavail, bsize } = await statfs(config.dataDir);
  const percent = blocks === 0 ? 0 : Math.floor((1 - bavail / blocks) * 100);
  if (percent < DISK_PERCENT) return [];
  const free = Math.round((bavail * bsize) / 1024 ** 3);
  const severity = percent >= DISK_GRAVE_PERCENT ? 'error' : 'warning';
  return [{ kind: 'disk', object: '', severity, params: { percent, free } }];
}

async function backupTroubles({ db, live, now }: AlarmDeps): Promise<PresentTrouble[]> {
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

async function gatewayTroubles({ db, now }: AlarmDeps): Promise<PresentTrouble[]> {
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
async function wayTroubles({ db }: AlarmDeps): Promise<PresentTrouble[]> {
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

function jobTroubles({ log }: AlarmDeps): PresentTrouble[] {
  return [...failingJobs(log)]
    .filter(([, { count }]) => count >= JOB_ROUNDS)
    .map(([job, { error }]) => ({
      kind: 'job',
      object: job,
      severity: 'error',
      params: { job },
      cause: asError(error).message,
    }));
}
