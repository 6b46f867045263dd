import type { UsageFinding, UsageMark } from '@relay-hub/contract';
import type { Logger } from 'pino';
import type { ChannelNotices } from '#mail/channel-notices.ts';

/** A call whose reported usage is implausible or unusual. */
export interface DoubtedCall {
  requestId: string;
  channelId: number;
  model: string;
  mark: UsageMark;
  findings: readonly UsageFinding[];
}

const factsOf = ({ channelId, requestId, model, findings }: DoubtedCall) => ({
  channel: channelId,
  request: requestId,
  model,
  findings,
});

interface EventSinks {
  log: Logger;
  notices: Pick<ChannelNotices, 'add'>;
}

/** Automatic changes of channels, as lines of the process log and as notifications of operators. */
export const channelEvents = {
  switchedOff({ log, notices }: EventSinks, channel: number, reason: string): void {
    log.warn({ channel, reason }, 'a channel was switched off');
    notices.add({ kind: 'channelOff', channel, values: { reason: shortened(reason) } });
  },
  switchedOn({ log, notices }: EventSinks, channel: number): void {
    log.info({ channel }, 'a channel was switched on again');
    notices.add({ kind: 'channelOn', channel });
  },
  keySwitchedOff({ log, notices }: EventSinks, channel: number, key: number, reason: string): void {
    log.warn({ channel, key, reason }, 'a key of a channel was switched off');
    notices.add({ kind: 'keyOff', channel, values: { key, reason: shortened(reason) } });
  },
  keySwitchedOn({ log, notices }: EventSinks, channel: number, key: number): void {
    log.info({ channel, key }, 'a key of a channel was switched on again');
    notices.add({ kind: 'keyOn', channel, values: { key } });
  },
  /** The upstream reported more usage than possible. `before`: such calls since the last report. */
  implausibleUsage({ log, notices }: EventSinks, call: DoubtedCall, before: number): void {
    log.warn({ ...factsOf(call), before }, 'implausible usage was reported');
    const [{ reported, charged } = { reported: 0, charged: 0 }] = call.findings;
    const values = { model: call.model, request: call.requestId, reported, charged };
    notices.add({ kind: 'usage', channel: call.channelId, values });
  },
  /** The usage is possible, but far from the visible content. */
  unusualUsage: (log: Logger, call: DoubtedCall, before: number): void =>
    log.warn({ ...factsOf(call), before }, 'unusual usage was reported'),
  /** The channel is frozen after repeated failures or on its request. Too common for a notification. */
  closed: (log: Logger, channel: number, model: string, seconds: number): void =>
    log.warn({ channel, model, seconds }, 'a channel is frozen'),
  /** All channels at an unreachable host are frozen. */
  hostClosed: (log: Logger, host: string, seconds: number): void =>
    log.warn({ host, seconds }, 'a host is unreachable and frozen'),
};

/** Upstream messages can be long. */
const shortened = (reason: string): string => (reason.length > 300 ? `${reason.slice(0, 300)}…` : reason);
