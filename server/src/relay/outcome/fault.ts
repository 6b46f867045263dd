import type { FaultCause, StepFailure } from '@relay-hub/contract';
import { unreachedHost } from '#live/host-health.ts';
import type { Verdict } from '#relay/types/call-types.ts';
import type { AttemptResult } from '#relay/types/attempt-result.ts';
import { parseRetryAfterMs } from './upstream-refusal.ts';

/** The cause of a failed attempt and its consequences. */
export interface AttemptFault {
  cause: FaultCause;
  /** Another channel may answer. */
  retry: boolean;
  /**
   * `always`: no caller can cause it; `once` per caller: a caller may have caused it; `never`: it says nothing about
   * the channel.
   */
  countsAgainst: 'always' | 'once' | 'never';
  /** Nothing of the request reached the upstream. */
  notSent: boolean;
  /** Undefined: the host was reached, or is unknown. */
  unreachableHost: string | undefined;
}

type FaultRule = Pick<AttemptFault, 'retry' | 'countsAgainst'>;

const ofChannel: FaultRule = { retry: true, countsAgainst: 'always' };
const ofEither: FaultRule = { retry: true, countsAgainst: 'once' };
const ofCaller: FaultRule = { retry: false, countsAgainst: 'never' };

const rules: Readonly<Record<FaultCause, FaultRule>> = {
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
  ours: { retry: true, countsAgainst: 'never' },
};

/** Finds the cause of a failed attempt: what it means for the channel, and whether to try another one. */
export function faultOf(result: AttemptResult, verdict: Verdict): AttemptFault {
  const { cause, unclear } = causeOf(result, verdict);
  const rule = unclear && rules[cause] === ofChannel ? ofEither : rules[cause];
  return {
    cause,
    retry: (rule.retry || statusOf(result, verdict) === TOO_LARGE) && !isLimit(result),
    countsAgainst: isInconclusive(result) ? 'never' : rule.countsAgainst,
    notSent: cause === 'connect' || result.failure?.code === 'key_unusable',
    unreachableHost:
      cause === 'connect' && result.unreachableRoute
        ? unreachedHost(result.unreachableRoute, result.failure?.system)
        : undefined,
  };
}

/** 413: another channel may accept more. */
const TOO_LARGE = 413;

/** The vendor's own status can be more precise than that of the response. */
const statusOf = (result: AttemptResult, { upstreamRefusal: refused }: Verdict): number =>
  refused?.status ?? result.status;

interface AttributedCause {
  cause: FaultCause;
  unclear?: boolean;
}

function causeOf(result: AttemptResult, { upstreamRefusal: refused, refusal, code }: Verdict): AttributedCause {
  // A blocked prompt, in whatever form the vendor reports it.
  if (refusal?.code === 'content_filter') return { cause: 'content' };
  if (refused) return refused;
  const { failure, requestStarted: begun } = result;
  if (failure) return causeOfFailure(failure, begun || result.status > 0);
  return { cause: code === 'picture_not_fetched' ? 'request' : 'broken' };
}

/** Errors of this machine or of the request. */
const ofOurs = new Set([
  'EMFILE',
  'ENFILE',
  'ENOBUFS',
  'ENOMEM',
  'EADDRNOTAVAIL',
  'UND_ERR_INVALID_ARG',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
]);

function causeOfFailure({ code, system = '' }: NonNullable<AttemptResult['failure']>, begun: boolean): AttributedCause {
  if (code === 'key_unusable') return { cause: 'key' };
  if (ofOurs.has(system) || code === 'out_of_files' || code === 'no_room') return { cause: 'ours' };
  if (!begun && code !== 'client_gone') return { cause: 'connect' };
  return { cause: code.endsWith('timeout') ? 'timeout' : 'broken' };
}

/** Limits set by the operator or by this server. */
const limits: ReadonlySet<string> = new Set([
  'total_timeout',
  'reply_too_large',
  'no_room',
  'out_of_files',
  'client_gone',
]);
const isLimit = ({ failure }: AttemptResult): boolean => failure !== undefined && limits.has(failure.code);

/** A limit that ended a response in progress says nothing about the channel. */
const isInconclusive = (result: AttemptResult): boolean =>
  isLimit(result) && !(result.failure?.code === 'total_timeout' && result.headMs === undefined);

const tooLong =
  /context_length|(?:maximum|max) (?:context|prompt|input)|context (?:length|window|size)|(?:prompt|input|request)\b.{0,40}\btoo (?:long|large)|too many (?:input |total )?tokens|input token count|exceeds? .{0,40}\btokens/i;
const lacks =
  /(?:not|n't) support|unsupported|not (?:available|allowed|enabled) (?:for|with) (?:this|the) model|no endpoints found that/i;

/** Kind of an attempt's failure for the steps of a virtual model; undefined: another model would fail alike. */
export function stepFailure(
  { cause, retry }: AttemptFault,
  { upstreamRefusal: refused }: Verdict,
): StepFailure | undefined {
  if (cause === 'content') return undefined;
  const told = refused ? `${refused.code ?? ''} ${refused.message}` : '';
  if (refused?.status === TOO_LARGE || (refused && refused.status < 500 && tooLong.test(told))) return 'too_long';
  if (refused && refused.status < 500 && cause === 'request' && lacks.test(told)) return 'lacking';
  return retry ? 'error' : undefined;
}

/** Whether it concerns the key or its quota: another key of the channel may work. */
export const concernsKey = ({ cause }: AttemptFault): boolean =>
  cause === 'key' || cause === 'billing' || cause === 'rate';

/** Whether other channels at the same host are likely to fail too. */
export const concernsHost = ({ cause }: AttemptFault): boolean =>
  cause === 'server' || cause === 'timeout' || cause === 'broken';

/** The wait that the upstream asks for with a 429 or 503, in milliseconds. */
export function requestedWaitMs(result: AttemptResult, verdict: Verdict, nowMs: number): number | undefined {
  const status = statusOf(result, verdict);
  if (status !== 429 && status !== 503) return undefined;
  return verdict.upstreamRefusal?.retryAfterMs ?? parseRetryAfterMs(result.retryAfter, nowMs);
}
