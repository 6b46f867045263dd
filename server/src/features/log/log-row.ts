import type { Log } from '@relay-hub/contract';

/** A log row without its channel's name. */
export type LogRow = Omit<Log, 'channel'>;
