import {
  type ChannelFailure,
  type ChannelIncident,
  type ChannelTrouble,
  type LatestAttempts,
  troubleMinutes,
  troubleOf,
  type TroubleFields,
  type TroubleScale,
} from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import type { Minute } from './minute.ts';

/** Minutes of which the last success and failure of a channel or model are known. */
export const SIGN_MINUTES = 15;
/** A failed test is forgotten this long after calls proved the opposite. */
const CLOSED_S = 30 * 86_400;

/** Causes that no request can bring about. */
const clear: ReadonlySet<ChannelFailure> = new Set(['connect', 'key', 'rate', 'model']);

interface Facts extends TroubleScale {
  /** Of all nodes, `SIGN_MINUTES` of them at least. */
  minutes: readonly Minute[];
  /** Until when a channel is frozen, in Unix seconds. Incidents ignore it. */
  frozenUntil?(id: number): number;
}

/** The trouble of each of these channels; healthy ones are left out. The single source for screens and incidents. */
export async function channelTroubles(
  db: Db,
  { minutes, frozenUntil = () => 0, now, poor }: Facts,
  rows: readonly Omit<TroubleFields, 'frozen_until'>[],
): Promise<Map<number, ChannelTrouble>> {
  const troubles = new Map<number, ChannelTrouble>();
  if (rows.length === 0) return troubles;
  const incidents = await channelIncidents(db, now);
  for (const row of rows) {
    const incident = incidents.get(String(row.id)) ?? NO_INCIDENT;
    const latest = attemptsOf(minutes, row.id, now, incident.closedAt);
    const trouble = troubleOf({ ...row, frozen_until: frozenUntil(row.id) }, latest, incident, { now, poor });
    if (trouble) troubles.set(row.id, trouble);
  }
  return troubles;
}

const NO_INCIDENT: ChannelIncident = { openedAt: 0, closedAt: 0, attempts: 0, failures: 0 };

/** Open incidents of channels, and those that ended lately, by id of the channel. */
async function channelIncidents(db: Db, now: number): Promise<Map<string, ChannelIncident>> {
  const rows = await db
    .selectFrom('incidents')
    .where('kind', '=', 'channel')
    .where((eb) => eb.or([eb('closed_at', '=', 0), eb('closed_at', '>', now - CLOSED_S)]))
    .select(['object', 'opened_at', 'closed_at', 'params'])
    .orderBy('id')
    .execute();
  const incidents = new Map<string, ChannelIncident>();
  for (const { object, opened_at: opened, closed_at: closed, params } of rows) {
    const before = incidents.get(object) ?? NO_INCIDENT;
    incidents.set(
      object,
      closed === 0
        ? { ...before, openedAt: opened, attempts: Number(params['attempts']), failures: Number(params['failed']) }
        : { ...before, closedAt: Math.max(before.closedAt, closed) },
    );
  }
  return incidents;
}

/** The attempts of a channel, without minutes up to `after`: failures from before an incident ended open none again. */
export function attemptsOf(minutes: readonly Minute[], channel: number, now: number, after: number): LatestAttempts {
  const current = Math.floor(now / 60);
  const first = Math.max(current - troubleMinutes + 1, Math.floor(after / 60) + 1);
  const newest = { attempts: 0, failures: 0 };
  const sum = { attempts: 0, failures: 0, okAt: 0, failedAt: 0, okBy: new Set<number>(), failedBy: new Set<number>() };
  const kinds = new Map<ChannelFailure, number>();
  for (const { number, channels, channelSigns } of minutes) {
    if (number <= current - SIGN_MINUTES) continue;
    const sign = channelSigns.get(channel);
    if (sign) {
      sum.okAt = Math.max(sum.okAt, sign.okAt);
      sum.failedAt = Math.max(sum.failedAt, sign.failedAt);
    }
    const tally = channels.get(channel);
    if (number < first || !tally) continue;
    for (const id of sign?.okBy ?? []) sum.okBy.add(id);
    for (const id of sign?.failedBy ?? []) sum.failedBy.add(id);
    for (const into of number >= current - 1 ? [sum, newest] : [sum]) {
      into.attempts += tally.attempts;
      into.failures += tally.failed;
    }
    for (const [kind, count] of tally.kinds) kinds.set(kind, (kinds.get(kind) ?? 0) + count);
  }
  const [worst] = [...kinds].toSorted(([, a], [, b]) => b - a);
  return { ...sum, newest, reason: worst?.[0] ?? null, isClear: [...kinds.keys()].some((kind) => clear.has(kind)) };
}
