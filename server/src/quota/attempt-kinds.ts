import type { Attempt, AttemptKind, FaultCause } from '@relay-hub/contract';

/** The parts of a call that describe its attempts; `attempts` is absent in rows of other systems. */
export interface AttemptedCall {
  channelId: number;
  failed: boolean;
  attempts: readonly Attempt[] | undefined;
}

/**
 * How an attempt ended, by its cause; rows of older versions have no cause and are classified by code and HTTP status.
 * The only place that decides this.
 */
export function kindOfAttempt({ result, status, next, cause }: Attempt): AttemptKind {
  // The client disconnected before the channel's first-token timeout.
  if (result === 'first_token_timeout' && next === 'client_gone') return 'caller';
  if (cause === 'broken') return kindsOfResults[result] ?? 'broken';
  if (cause !== undefined) return kindsOfCauses[cause];
  if (result === 'upstream_status') return kindOfStatus(status);
  return kindsOfResults[result] ?? 'other';
}

const kindsOfCauses: Readonly<Record<Exclude<FaultCause, 'broken'>, AttemptKind>> = {
  connect: 'connect',
  key: 'key',
  billing: 'key',
  route: 'model',
  rate: 'rate',
  server: 'server',
  timeout: 'timeout',
  content: 'request',
  request: 'request',
  // A fault of this server says nothing about the channel.
  ours: 'caller',
};

const kindsOfResults: Readonly<Record<string, AttemptKind>> = {
  ok: 'ok',
  connect_failed: 'connect',
  timeout: 'timeout',
  first_token_timeout: 'timeout',
  total_timeout: 'timeout',
  key_unusable: 'key',
  stream_broken: 'broken',
  error_in_stream: 'server',
  error_in_reply: 'server',
  bad_reply: 'reply',
  reply_too_large: 'reply',
  client_gone: 'caller',
};

const kindsOfStatuses: Readonly<Record<number, AttemptKind>> = {
  401: 'key',
  402: 'key',
  403: 'key',
  404: 'model',
  408: 'timeout',
  409: 'server',
  425: 'server',
  429: 'rate',
};

function kindOfStatus(status: number): AttemptKind {
  return kindsOfStatuses[status] ?? (status >= 400 && status < 500 ? 'request' : 'server');
}

/** Whether a fault with this cause counts against its channel. */
export const isFaultOfChannel = (cause: FaultCause): boolean => cause === 'broken' || isOfChannel(kindsOfCauses[cause]);

/** Whether an attempt counts for or against its channel. `undefined` (outcome unknown) counts. */
export const isOfChannel = (kind: AttemptKind | undefined): boolean => kind !== 'request' && kind !== 'caller';

/** The channel and outcome of each attempt. The last attempt of a call that did not fail is `ok`. */
export function attemptsIn({ channelId, failed, attempts }: AttemptedCall): [channelId: number, kind: AttemptKind][] {
  if (!attempts || attempts.length === 0) return channelId === 0 ? [] : [[channelId, failed ? 'other' : 'ok']];
  const last = attempts.length - 1;
  return attempts.map((attempt, at) => [attempt.channel_id, at === last && !failed ? 'ok' : kindOfAttempt(attempt)]);
}
