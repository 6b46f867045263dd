/** Why an attempt failed, where the channel is at fault. `other`: a failure whose reason is not known. */
export const channelFailures = [
  'connect',
  'timeout',
  'rate',
  'key',
  'model',
  'server',
  'broken',
  'reply',
  'other',
] as const;
export type ChannelFailure = (typeof channelFailures)[number];

/** How an attempt ended. `request` and `caller` are failures that say nothing about the channel. */
export type AttemptKind = 'ok' | ChannelFailure | 'request' | 'caller';
