import type { Logger } from 'pino';

/** What becomes of channels by itself, as events of the process log: whoever watches it can be told of them. */
export const channelEvents = {
  switchedOff: (log: Logger, channel: number, reason: string): void =>
    log.warn({ channel, reason }, 'a channel was switched off'),
  switchedOn: (log: Logger, channel: number): void => log.info({ channel }, 'a channel was switched on again'),
  keySwitchedOff: (log: Logger, channel: number, key: number, reason: string): void =>
    log.warn({ channel, key, reason }, 'a key of a channel was switched off'),
  keySwitchedOn: (log: Logger, channel: number, key: number): void =>
    log.info({ channel, key }, 'a key of a channel was switched on again'),
  /** Nothing is sent to it for a while: it failed again and again, or asked for that. */
  closed: (log: Logger, channel: number, model: string, seconds: number): void =>
    log.warn({ channel, model, seconds }, 'a channel is left alone'),
};
