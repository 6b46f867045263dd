import type { Logger } from 'pino';
import type { ChannelNotices } from '#mail/channel-notices.ts';

interface Told {
  log: Logger;
  notices: Pick<ChannelNotices, 'add'>;
}

/** What becomes of channels by itself, as events of the process log, and as news for those who look after them. */
export const channelEvents = {
  switchedOff({ log, notices }: Told, channel: number, reason: string): void {
    log.warn({ channel, reason }, 'a channel was switched off');
    notices.add({ kind: 'channelOff', channel, values: { reason: shortened(reason) } });
  },
  switchedOn({ log, notices }: Told, channel: number): void {
    log.info({ channel }, 'a channel was switched on again');
    notices.add({ kind: 'channelOn', channel });
  },
  keySwitchedOff({ log, notices }: Told, channel: number, key: number, reason: string): void {
    log.warn({ channel, key, reason }, 'a key of a channel was switched off');
    notices.add({ kind: 'keyOff', channel, values: { key, reason: shortened(reason) } });
  },
  keySwitchedOn({ log, notices }: Told, channel: number, key: number): void {
    log.info({ channel, key }, 'a key of a channel was switched on again');
    notices.add({ kind: 'keyOn', channel, values: { key } });
  },
  /** Nothing is sent to it for a while: it failed again and again, or asked for that. This is too common for a mail. */
  closed: (log: Logger, channel: number, model: string, seconds: number): void =>
    log.warn({ channel, model, seconds }, 'a channel is left alone'),
};

/** Upstreams can have a lot to say. */
const shortened = (reason: string): string => (reason.length > 300 ? `${reason.slice(0, 300)}…` : reason);
