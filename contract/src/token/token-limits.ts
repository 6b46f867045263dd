import * as z from 'zod/mini';
import { providerWishes } from '../channel/provider-wishes.ts';
import { splitList } from '../texts.ts';
import { isTimeZone } from '../time-zone.ts';
import { LARGEST_MOVE, listedModel, seconds } from '../values.ts';

/** Measures of a limit; `calls` are calls in progress. */
export const limitMeasures = ['credits', 'requests', 'tokens', 'calls'] as const;
export type LimitMeasure = (typeof limitMeasures)[number];

export const limitPeriods = ['at_once', 'minute', 'hour', 'five_hours', 'day', 'week', 'month'] as const;
export type LimitPeriod = (typeof limitPeriods)[number];

/** The periods of each measure. A limit on the total is the token's own quota. */
export const periodsOf: Record<LimitMeasure, readonly LimitPeriod[]> = {
  credits: ['hour', 'five_hours', 'day', 'week', 'month'],
  requests: ['minute', 'day'],
  tokens: ['minute', 'day'],
  calls: ['at_once'],
};

/** Kinds of endpoints that a token can be limited to. */
export const limitEndpoints = [
  'chat',
  'completions',
  'embeddings',
  'moderations',
  'rerank',
  'images',
  'audio',
  'realtime',
  'tasks',
  'pass_through',
] as const;
export type LimitEndpoint = (typeof limitEndpoints)[number];

export const tokenCap = z
  .strictObject({
    measure: z.enum(limitMeasures),
    period: z.enum(limitPeriods),
    amount: z.int().check(z.gte(0), z.lte(LARGEST_MOVE)),
  })
  .check(
    z.refine(({ measure, period }) => periodsOf[measure].includes(period), { error: 'limit.period', path: ['period'] }),
  );
export type TokenCap = z.infer<typeof tokenCap>;

/** At most one cap per measure and period. */
export const tokenCaps = z.array(tokenCap).check(
  z.maxLength(16),
  z.refine((caps) => new Set(caps.map(capName)).size === caps.length, { error: 'limit.twice' }),
);

/** Name of a cap and of its counter, such as `credits:day`. */
export const capName = ({ measure, period }: Pick<TokenCap, 'measure' | 'period'>): string => `${measure}:${period}`;

/** A model name; `*` stands for any characters, at any place. */
export const allowedModel = listedModel.check(z.refine((name) => /[^*]/.test(name), { error: 'limit.model' }));

/** An address or a network in CIDR notation, IPv4 or IPv6. */
export const networkEntry = z.string().check(z.trim(), z.maxLength(50), z.refine(isNetwork, { error: 'network.list' }));

function isNetwork(entry: string): boolean {
  return [z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()].some((form) => form.safeParse(entry).success);
}

/** Limits of a token; empty lists limit nothing. An unknown field is refused: it could be a limit that is misspelt. */
export const tokenLimits = z.strictObject({
  caps: z._default(tokenCaps, []),
  /** `calendar`: periods of the calendar in `time_zone`. `rolling`: a period begins with its first call. */
  reset: z._default(z.enum(['calendar', 'rolling']), 'calendar'),
  /** IANA name. */
  time_zone: z._default(z.string().check(z.maxLength(64), z.refine(isTimeZone, { error: 'time.zone' })), 'UTC'),
  models: z._default(z.array(allowedModel).check(z.maxLength(500)), []),
  endpoints: z._default(z.array(z.enum(limitEndpoints)).check(z.maxLength(limitEndpoints.length)), []),
  addresses: z._default(z.array(networkEntry).check(z.maxLength(200)), []),
  /** Wishes about providers that hold for every call; a call can only add others. Its order replaces this one. */
  provider: z.optional(providerWishes),
});
export type TokenLimits = z.infer<typeof tokenLimits>;

export const noLimits: TokenLimits = {
  caps: [],
  reset: 'calendar',
  time_zone: 'UTC',
  models: [],
  endpoints: [],
  addresses: [],
};

export const limitsNothing = ({ caps, models, endpoints, addresses, provider = {} }: TokenLimits): boolean =>
  caps.length + models.length + endpoints.length + addresses.length + Object.keys(provider).length === 0;

/** Caps that no token of a user group exceeds, and the limits that a new token of it starts with. */
export const groupTokenLimits = z.strictObject({
  ceilings: z._default(tokenCaps, []),
  defaults: z.optional(tokenLimits),
});
export type GroupTokenLimits = z.infer<typeof groupTokenLimits>;

/** A cap with its use. */
export const capUse = z.object({
  measure: z.enum(limitMeasures),
  period: z.enum(limitPeriods),
  amount: z.int(),
  /** Includes what open calls have reserved. */
  used: z.int(),
  left: z.int(),
  /** 0: no period is running, or the cap has none. */
  resets_time: seconds,
  /** It comes from the user group. */
  of_group: z.boolean(),
});
export type CapUse = z.infer<typeof capUse>;

/** A small JSON object of the owner, stored unchanged. */
export const tokenMetadata = z
  .record(
    z.string().check(z.minLength(1), z.maxLength(64)),
    z.union([z.string().check(z.trim(), z.maxLength(500)), z.number(), z.boolean(), z.null()]),
  )
  .check(z.refine((object) => Object.keys(object).length <= 50, { error: 'metadata.size' }));
export type TokenMetadata = z.infer<typeof tokenMetadata>;

/** Fields of one-api, new-api and one-hub for the same limits; read and written in addition to `limits`. */
export interface FamilyLimits {
  /** one-api: comma-separated. */
  models?: string | null | undefined;
  subnet?: string | null | undefined;
  /** new-api: comma-separated, and one address per line. */
  model_limits?: string | undefined;
  model_limits_enabled?: boolean | undefined;
  allow_ips?: string | null | undefined;
  /** one-hub. */
  setting?: { limits?: OneHubLimits | undefined } | undefined;
}

export interface OneHubLimits {
  limit_model_setting?: { enabled: boolean; models: string[] } | undefined;
  limits_ip_setting?: { enabled: boolean; whitelist: string[] } | undefined;
}

const list = z.string().check(z.trim(), z.maxLength(60_000));
const entry = z.string().check(z.trim());
export const familyLimits = {
  models: z.optional(z.nullable(list)),
  subnet: z.optional(z.nullable(list)),
  model_limits: z.optional(list),
  model_limits_enabled: z.optional(z.boolean()),
  allow_ips: z.optional(z.nullable(list)),
  setting: z.optional(
    z.object({
      limits: z.optional(
        z.object({
          limit_model_setting: z.optional(
            z.object({ enabled: z._default(z.boolean(), false), models: z._default(z.array(entry), []) }),
          ),
          limits_ip_setting: z.optional(
            z.object({ enabled: z._default(z.boolean(), false), whitelist: z._default(z.array(entry), []) }),
          ),
        }),
      ),
    }),
  ),
};

/** Limits under the names of the family. */
export function asFamilyLimits({ models, addresses }: TokenLimits) {
  return {
    models: models.join(','),
    subnet: addresses.join(','),
    model_limits: models.join(','),
    model_limits_enabled: models.length > 0,
    allow_ips: addresses.join('\n'),
    setting: {
      limits: {
        limit_model_setting: { enabled: models.length > 0, models },
        limits_ip_setting: { enabled: addresses.length > 0, whitelist: addresses },
      },
    },
  };
}

/**
 * Limits with what a client of the family has changed: a field that still says what `before` says is not a change.
 * The lists are not validated.
 */
export function withFamilyLimits(limits: TokenLimits, given: FamilyLimits, before: TokenLimits): TokenLimits {
  const shown = asFamilyLimits(before);
  const models =
    changed(
      given.setting?.limits?.limit_model_setting,
      shown.setting.limits.limit_model_setting,
      ({ enabled, models: names }) => (enabled ? names : []),
    ) ??
    changed(
      given.model_limits === undefined && given.model_limits_enabled === undefined
        ? undefined
        : {
            names: given.model_limits ?? shown.model_limits,
            on: given.model_limits_enabled ?? given.model_limits !== '',
          },
      { names: shown.model_limits, on: shown.model_limits_enabled },
      ({ names, on }) => (on ? splitList(names) : []),
    ) ??
    changed(given.models ?? undefined, shown.models, splitList);
  const addresses =
    changed(
      given.setting?.limits?.limits_ip_setting,
      shown.setting.limits.limits_ip_setting,
      ({ enabled, whitelist }) => (enabled ? whitelist : []),
    ) ??
    changed(given.allow_ips ?? undefined, shown.allow_ips, (ips) => splitList(ips.replaceAll('\n', ','))) ??
    changed(given.subnet ?? undefined, shown.subnet, splitList);
  return { ...limits, ...(models && { models }), ...(addresses && { addresses }) };
}

function changed<T>(given: T | undefined, shown: T, read: (value: T) => string[]): string[] | undefined {
  return given === undefined || JSON.stringify(given) === JSON.stringify(shown) ? undefined : read(given);
}
