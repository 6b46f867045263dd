import type { FaultCause } from '@relay-hub/contract';
import { unreachedHost } from '#live/host-health.ts';
import type { Sent } from '#relay/upstream/sent.ts';
import { headerWaitMs } from './upstream-refusal.ts';
import type { Verdict } from './verdict.ts';

/** What is concluded from an attempt that failed. */
export interface Fault {
  cause: FaultCause;
  /** Another channel may answer. */
  retry: boolean;
  /**
   * How it counts against the channel: `always`, since no caller can cause it; `once` for each caller, since a caller may
   * have; `never`, since it says nothing of the channel.
   */
  counts: 'always' | 'once' | 'never';
  /** The upstream got nothing of the request. */
  unsent: boolean;
  /** The host that cannot be reached; undefined: another fault. */
  host: string | undefined;
}

type Rule = Pick<Fault, 'retry' | 'counts'>;

const ofChannel: Rule = { retry: true, counts: 'always' };
const ofEither: Rule = { retry: true, counts: 'once' };
const ofCaller: Rule = { retry: false, counts: 'never' };

const rules: Readonly<Record<FaultCause, Rule>> = {
  connect: ofChannel,
  key: ofChannel,
  billing: ofChannel,
  route: ofChannel,
  rate: ofEither,
  server: ofEither,
  timeout: ofEither,
  broken: ofEither,
  content: ofCaller,
  request: ofCaller,
  ours: { retry: true, counts: 'never' },
};

/** What an attempt that failed tells of its channel, and whether another one is worth asking. */
export function faultOf(sent: Sent, verdict: Verdict): Fault {
  const { cause, unclear } = causeOf(sent, verdict);
  const rule = unclear && rules[cause] === ofChannel ? ofEither : rules[cause];
  return {
    cause,
    retry: (rule.retry || statusOf(sent, verdict) === TOO_LARGE) && !isLimit(sent),
    counts: saysNothing(sent) ? 'never' : rule.counts,
    unsent: cause === 'connect' || sent.failure?.code === 'key_unusable',
    host: cause === 'connect' && sent.unreached ? unreachedHost(sent.unreached, sent.failure?.system) : undefined,
  };
}

/** Another channel may take more. */
const TOO_LARGE = 413;

/** The status that an answer means: the vendor's own words can tell better than the one it came with. */
const statusOf = (sent: Sent, { refused }: Verdict): number => refused?.status ?? sent.status;

interface Found {
  cause: FaultCause;
  unclear?: boolean;
}

function causeOf(sent: Sent, { refused, refusal, result }: Verdict): Found {
  // The vendor blocked the prompt, in whatever way it says so.
  if (refusal?.code === 'content_filter') return { cause: 'content' };
  if (refused) return refused;
  const { failure, begun } = sent;
  if (failure) return causeOfFailure(failure, begun || sent.status > 0);
  return { cause: result === 'picture_not_fetched' ? 'request' : 'broken' };
}

/** Errors of this machine or of the request itself, which no upstream has anything to do with. */
const ofOurs = new Set([
  'EMFILE',
  'ENFILE',
  'ENOBUFS',
  'ENOMEM',
  'EADDRNOTAVAIL',
  'UND_ERR_INVALID_ARG',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
]);

function causeOfFailure({ code, system = '' }: NonNullable<Sent['failure']>, begun: boolean): Found {
  if (code === 'key_unusable') return { cause: 'key' };
  if (ofOurs.has(system) || code === 'out_of_files' || code === 'no_room') return { cause: 'ours' };
  if (!begun && code !== 'client_gone') return { cause: 'connect' };
  return { cause: code.endsWith('timeout') ? 'timeout' : 'broken' };
}

/** A limit of the operator or of this server for an answer, however well it comes. */
const limits: ReadonlySet<string> = new Set([
  'total_timeout',
  'reply_too_large',
  'no_room',
  'out_of_files',
  'client_gone',
]);
const isLimit = ({ failure }: Sent): boolean => failure !== undefined && limits.has(failure.code);

/** A limit that ended a living answer says nothing of the channel. */
const saysNothing = (sent: Sent): boolean =>
  isLimit(sent) && !(sent.failure?.code === 'total_timeout' && sent.headMs === undefined);

/** Whether it is about the key, or what it may still use: another key of the channel may do. */
export const isOfKey = ({ cause }: Fault): boolean => cause === 'key' || cause === 'billing' || cause === 'rate';

/** Whether other channels at the same host are likely to fail as well. */
export const isOfHost = ({ cause }: Fault): boolean => cause === 'server' || cause === 'timeout' || cause === 'broken';

/** How long the upstream asks to be left alone, in its headers or its own words. */
export function askedWaitMs(sent: Sent, verdict: Verdict, nowMs: number): number | undefined {
  const status = statusOf(sent, verdict);
  if (status !== 429 && status !== 503) return undefined;
  return verdict.refused?.retryAfterMs ?? headerWaitMs(sent.retryAfter, nowMs);
}
