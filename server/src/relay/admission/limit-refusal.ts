import type { IncomingMessage } from 'node:http';
import {
  type LimitEndpoint,
  type LimitMeasure,
  type LimitPeriod,
  type LimitSubject,
  subjectOf,
} from '@relay-hub/contract';
import type { DialectId } from '#chat/codec.ts';
import type { Deps } from '#deps.ts';
import { clientIp } from '#http/client-ip.ts';
import type { CallerLimits } from '#live/caller-limits.ts';
import { isIn } from '#networks.ts';
import type { CountRefusal } from '#quota/batch-items.ts';
import type { Refusal } from '#quota/book.ts';
import { creditsText } from '#quota/credits-text.ts';
import type { OperationName, RelayCall } from '#relay/types/call-types.ts';
import type { Settings } from '#settings.ts';
import { insufficientQuota, noRetry } from '#relay/reply/insufficient-quota.ts';
import { RelayError } from '#relay/reply/relay-error.ts';

/** Longest wait that a `Retry-After` may name: clients keep a call open for it. */
const LONGEST_WAIT_S = 60;
/** Calls in progress end at any time. */
const AT_ONCE_WAIT_S = 2;

const endpointOf: Record<OperationName, LimitEndpoint> = {
  chat: 'chat',
  compact: 'chat',
  completions: 'completions',
  embeddings: 'embeddings',
  moderations: 'moderations',
  rerank: 'rerank',
  speech: 'audio',
  transcriptions: 'audio',
  translations: 'audio',
  realtime: 'realtime',
  raw: 'pass_through',
  tasks: 'tasks',
  'images.generations': 'images',
  'images.edits': 'images',
  'images.variations': 'images',
  'images.tools': 'images',
};

/** Throws a 403 for a client whose address the token does not allow. */
export function checkAddress({ addresses }: CallerLimits, ip: string): void {
  if (!addresses || isIn(addresses, ip)) return;
  throw forbidden('address_forbidden', `This API key may not be used from the address ${ip}.`);
}

/** Throws a 403 for a client of a network that the operator has blocked, before it is authenticated. */
export function checkNotBlocked(
  { live, config, now }: Pick<Deps, 'live' | 'config' | 'now'>,
  request: IncomingMessage,
) {
  if (live.blocks.isEmpty) return;
  const ip = clientIp(request, config.trustedProxies);
  if (live.blocks.has(ip, now()))
    throw forbidden('address_blocked', `This server refuses requests from the address ${ip}.`);
}

/** Throws a 403 for a model or an endpoint that the token does not allow. */
export function checkCallAllowed(limits: CallerLimits, { request, operation, chain }: RelayCall): void {
  const model = chain?.name ?? request.model;
  const endpoint = endpointOf[operation];
  if (limits.endpoints && !limits.endpoints.has(endpoint))
    throw forbidden(
      'endpoint_forbidden',
      `This API key may not call this endpoint (${endpoint}); it may call ${[...limits.endpoints].join(', ')}.`,
    );
  if (limits.models && operation !== 'raw' && !limits.models(model)) throw modelForbidden(model);
}

export const modelForbidden = (model: string): RelayError =>
  forbidden(
    'model_forbidden',
    `This API key may not use the model '${model}'. GET /v1/models lists the models it may use.`,
  );

const forbidden = (code: string, message: string): RelayError =>
  new RelayError(403, message, { type: 'permission_error', code });

const periodTexts: Record<LimitPeriod | 'period', string> = {
  period: 'in its period',
  at_once: 'at once',
  minute: 'a minute',
  hour: 'an hour',
  five_hours: 'in five hours',
  day: 'a day',
  week: 'a week',
  month: 'a month',
};

/** The refusal for credits or a limit that a call lacks. */
export const lackingFor = (deps: Pick<Deps, 'live' | 'now'>, lacking: Refusal, dialect: DialectId): RelayError =>
  typeof lacking === 'string' ? insufficientQuota(lacking, deps.live.settings) : limitReached(deps, lacking, dialect);

/** The field of a request that limits its answer, and with it the reservation. */
const outputField: Record<DialectId, string> = {
  openai: 'max_tokens',
  responses: 'max_output_tokens',
  anthropic: 'max_tokens',
  gemini: 'maxOutputTokens',
};

/**
 * 429: a limit of the token has no room for the call. Names the limit, its use, and when it resets; for a
 * call with an output limit (`isLimitable`) also that a lower one may fit.
 */
export function limitReached(
  { live, now }: Pick<Deps, 'live' | 'now'>,
  refusal: CountRefusal,
  dialect: DialectId,
  isLimitable = false,
): RelayError {
  const [measure, period] = refusal.name.split(':') as [LimitMeasure, LimitPeriod | 'period']; // names are made by `capName`
  const seconds = Math.max(1, refusal.ends - now());
  const said = texts(refusal, measure, live.settings);
  const limit = `${said.limit} ${periodTexts[period]}`;
  const subject = subjectOf(refusal.scope);
  const headers = limitHeaders(refusal, measure, dialect);
  if (measure === 'calls')
    return new RelayError(429, `This API key allows ${limit}, and ${said.used} are in progress.`, {
      type: 'rate_limit_error',
      code: 'rate_limit_exceeded',
      reason: 'token_concurrency',
      retryAfter: String(AT_ONCE_WAIT_S),
      headers: { 'x-relay-limit': headers['x-relay-limit'] ?? '' },
    });
  if (period === 'minute')
    return new RelayError(
      429,
      `This API key allows ${limit}: ${said.used} are used, and this call needs ${said.need}. Try again in ${seconds} s.`,
      {
        type: 'rate_limit_error',
        code: 'rate_limit_exceeded',
        reason: 'token_rate',
        retryAfter: String(Math.min(LONGEST_WAIT_S, seconds)),
        headers,
      },
    );
  const facts = `it allows ${limit}, and ${said.used} is used.`;
  const hint = isLimitable && measure !== 'requests' ? ` Set a lower ${outputField[dialect]} to need less.` : '';
  const why = said.hasRoom
    ? `This call needs up to ${said.need}, and ${said.left} of the budget of ${owners[subject]} is left: ${facts}${hint}`
    : `The budget of ${owners[subject]} is used up: ${facts}`;
  if (refusal.isLast)
    return new RelayError(402, `${why} Buy another plan or top up.`, {
      type: 'insufficient_quota',
      code: 'insufficient_quota',
      reason: reasons[subject],
      headers: { 'x-relay-limit': headers['x-relay-limit'] ?? '', ...noRetry },
    });
  return new RelayError(429, `${why} The budget resets at ${isoTime(refusal.ends)} (in ${durationText(seconds)}).`, {
    type: 'insufficient_quota',
    code: 'insufficient_quota',
    reason: reasons[subject],
    // Clients of a token's limits expect none.
    ...(subject !== 'token' && { retryAfter: String(seconds) }),
    headers: { ...headers, ...noRetry },
  });
}

const owners: Record<LimitSubject, string> = {
  token: 'this API key',
  account: 'this account',
  member: 'this member',
  cost_centre: 'this cost centre',
  plan: 'the plan',
};

const reasons: Record<LimitSubject, string> = {
  token: 'token_budget',
  account: 'account_budget',
  member: 'member_budget',
  cost_centre: 'cost_centre_budget',
  plan: 'plan_budget',
};

function texts({ limit, used, held, need }: CountRefusal, measure: LimitMeasure, settings: Settings) {
  const unit = measure === 'credits' && settings.DisplayInCurrencyEnabled ? '' : ` ${measure}`;
  const text = (amount: number) => (measure === 'credits' ? creditsText(amount, settings) : String(amount));
  const left = Math.max(0, limit - used - held);
  return { limit: text(limit) + unit, used: text(used + held), need: text(need), left: text(left), hasRoom: left > 0 };
}

/** Headers with the limit, what is left and when it resets, under our name and those of the dialect. */
function limitHeaders(
  { scope, name, limit, used, held, ends }: CountRefusal,
  measure: LimitMeasure,
  dialect: DialectId,
): Record<string, string> {
  const left = Math.max(0, limit - used - held);
  const subject = subjectOf(scope) === 'token' ? '' : `; of=${subjectOf(scope)}`;
  const headers: Record<string, string> = {
    'x-relay-limit': `${name}; limit=${limit}; used=${used + held}; left=${left}${subject}`,
    'x-relay-limit-reset': String(ends),
  };
  if (measure !== 'requests' && measure !== 'tokens') return headers;
  if (dialect === 'anthropic') {
    const prefix = `anthropic-ratelimit-${measure}`;
    headers[`${prefix}-limit`] = String(limit);
    headers[`${prefix}-remaining`] = String(left);
    headers[`${prefix}-reset`] = isoTime(ends);
  } else {
    headers[`x-ratelimit-limit-${measure}`] = String(limit);
    headers[`x-ratelimit-remaining-${measure}`] = String(left);
    headers[`x-ratelimit-reset-${measure}`] = `${Math.max(1, ends - Math.floor(Date.now() / 1000))}s`;
  }
  return headers;
}

const isoTime = (seconds: number): string => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');

/** Such as `2 d 6 h`, `6 h 18 min` or `40 s`. */
function durationText(seconds: number): string {
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor((seconds % 86_400) / 3600), 'h'],
    [Math.floor((seconds % 3600) / 60), 'min'],
    [seconds % 60, 's'],
  ];
  const from = parts.findIndex(([amount]) => amount > 0);
  return parts
    .slice(from, from + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(' ');
}
