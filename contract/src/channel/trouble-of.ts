import type { Channel } from './channel.ts';
import type { ChannelFailure } from './attempt-kind.ts';
import type { ChannelTrouble } from './channel-trouble.ts';
import { troubleKinds } from './codes.ts';
import { channelStatus } from '../codes.ts';

/** Fields of a channel that determine its trouble. */
export type TroubleFields = Pick<
  Channel,
  'id' | 'status' | 'last_error' | 'last_error_time' | 'test_time' | 'frozen_until'
>;

/** Hours that the health of a channel shows. */
export const healthHours = 24;
/** Minutes of attempts that determine the trouble of a channel. */
export const troubleMinutes = 10;

/** From this share of failures on a channel fails, whatever the settings say. */
const MOST_FAIL = 0.5;
/** Fewer failures prove nothing. Where one caller may have caused all of them it takes more. */
const FEW_FAILURES = 3;
const UNCLEAR_FAILURES = 5;
/** Failures of a channel that serves most of its attempts. */
const MILD_FAILURES = 10;
/** Without a failure for this long, and with a success, a trouble is over. */
const SURE_S = 30;
/** With this many attempts of the last two minutes, a good share of them proves as much. */
const SURE_ATTEMPTS = 20;

interface Attempts {
  attempts: number;
  failures: number;
}

/** Attempts of a channel on all nodes in `troubleMinutes`, without those of an incident that is over. */
export interface LatestAttempts extends Attempts {
  /** Of this minute and the one before. */
  newest: Attempts;
  /** Time of the last success and failure, in Unix seconds; 0: none is known. */
  okAt: number;
  failedAt: number;
  /** Some of the users who had them. */
  okBy: ReadonlySet<number>;
  failedBy: ReadonlySet<number>;
  /** Whether one of the failures is none that a request can cause. */
  isClear: boolean;
  /** The most frequent cause of failures. */
  reason: ChannelFailure | null;
}

/** The incident of a channel that is open, with its numbers, and when the last one ended. Unix seconds; 0: none. */
export interface ChannelIncident extends Attempts {
  openedAt: number;
  closedAt: number;
}

/** Unix seconds, and the setting `SuccessRatePoor`. */
export interface TroubleScale {
  now: number;
  poor: number;
}

/** Whether at least half of the attempts failed, or none is known. */
export const isGrave = ({ attempts, failures }: Attempts): boolean => failures >= attempts * MOST_FAIL;

/** The trouble of a channel; null: none. The single rule of lists, counts, dashboard, live view and incidents. */
export function troubleOf(
  channel: TroubleFields,
  latest: LatestAttempts,
  incident: ChannelIncident,
  { now, poor }: TroubleScale,
): ChannelTrouble | null {
  const kind = kindOf(channel, now);
  if (kind === undefined) return null;
  if (kind === 'failing' && !isFailing(channel, latest, incident, poor)) return null;
  const { attempts, failures, reason } = latest;
  // While no calls come, the numbers of the incident stay.
  const shown = attempts === 0 && incident.openedAt > 0 ? incident : { attempts, failures };
  return { kind, attempts: shown.attempts, failures: shown.failures, minutes: troubleMinutes, reason };
}

/** The possible kind of trouble; undefined: disabled manually. */
function kindOf({ status, frozen_until }: TroubleFields, now: number): ChannelTrouble['kind'] | undefined {
  if (status === channelStatus.testDisabled) return 'switched_off';
  if (status !== channelStatus.enabled) return undefined;
  return frozen_until > now ? 'frozen' : 'failing';
}

function isFailing(channel: TroubleFields, latest: LatestAttempts, incident: ChannelIncident, poor: number): boolean {
  const { last_error: error, last_error_time: failedTest, test_time: tested } = channel;
  const { okAt, failedAt, newest } = latest;
  const { openedAt, closedAt } = incident;
  const testFailed = error !== '' && tested > 0 && failedTest === tested;
  // An error is kept until a test succeeds; calls that succeeded meanwhile count as much.
  if (testFailed && okAt <= tested && closedAt <= tested) return true;
  if (error === '' && tested > 0 && tested >= Math.max(openedAt, failedAt)) return false;
  const isSure = okAt >= failedAt + SURE_S;
  // A quiet channel keeps its last state.
  if (openedAt > 0)
    return okAt === 0 || !(isSure || (newest.attempts >= SURE_ATTEMPTS && !isPoor(newest, poor) && !isGrave(newest)));
  return !(okAt > 0 && isSure) && failsByShare(latest, poor);
}

/** Whether attempts fail by their share, with a floor of failures, and never by the requests of one caller. */
function failsByShare({ attempts, failures, okBy, failedBy, isClear }: LatestAttempts, poor: number): boolean {
  const grave = isGrave({ attempts, failures });
  if (!grave && !isPoor({ attempts, failures }, poor)) return false;
  const isAnyones = isClear || failedBy.size > 1;
  const floor = !grave ? MILD_FAILURES : isAnyones ? FEW_FAILURES : UNCLEAR_FAILURES;
  if (failures < floor) return false;
  return isAnyones || ![...okBy].some((id) => !failedBy.has(id));
}

const isPoor = ({ attempts, failures }: Attempts, poor: number): boolean => failures * 100 > attempts * (100 - poor);

/** Sorts channels in trouble by kind, failure rate and id. */
export function byTrouble(
  a: { id: number; trouble: ChannelTrouble },
  b: { id: number; trouble: ChannelTrouble },
): number {
  return (
    troubleKinds.indexOf(a.trouble.kind) - troubleKinds.indexOf(b.trouble.kind) ||
    failedShare(b.trouble) - failedShare(a.trouble) ||
    a.id - b.id
  );
}

/** Failure rate, 0 to 1. */
export const failedShare = ({ attempts, failures }: Pick<ChannelTrouble, 'attempts' | 'failures'>): number =>
  attempts === 0 ? 0 : failures / attempts;
