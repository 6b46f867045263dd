/** Failures for which the channel is at fault. `other`: unknown reason. */
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

/** Result of an attempt. `request` and `caller` are failures that do not affect the channel's health. */
export const attemptKinds = ['ok', ...channelFailures, 'request', 'caller'] as const;
export type AttemptKind = (typeof attemptKinds)[number];
