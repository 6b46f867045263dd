import { BlockList } from 'node:net';
import {
  capName,
  type GroupTokenLimits,
  type LimitEndpoint,
  type LimitMeasure,
  type LimitReset,
  type LimitUse,
  type LimitWindow,
  limitsNothing,
  noLimits,
  type SubjectLimits,
  type TokenCap,
  type TokenLimits,
  tokenScope,
  windowAt,
} from '@relay-hub/contract';
import { parseNetworks } from '#networks.ts';

/** A cap that is in force. */
export interface EffectiveCap extends TokenCap {
  name: string;
  /** It is the ceiling of the user group. */
  ofGroup: boolean;
}

/** A cap in which calls reserve. */
export interface CountedCap {
  /** The subject of the cap, see `limit-scope.ts`. */
  scope: string;
  name: string;
  measure: LimitMeasure;
  period: LimitUse['period'];
  /** The largest safe integer: no limit. */
  amount: number;
  /** The period that begins at a moment if none is running. */
  window(now: number): LimitWindow;
}

/** Limits of a token with the ceilings of its owner's group, and of the other scopes on its path, ready to be checked. */
export interface CallerLimits extends Pick<TokenLimits, 'reset' | 'time_zone'> {
  /** Of the token and its owner's group. */
  caps: readonly EffectiveCap[];
  /** Of all scopes. */
  counted: readonly CountedCap[];
  /** Undefined: all. */
  models: ((model: string) => boolean) | undefined;
  endpoints: ReadonlySet<LimitEndpoint> | undefined;
  addresses: BlockList | undefined;
  /** Wishes about providers that every call of the token has. */
  provider: TokenLimits['provider'];
}

/** A rule of a scope other than the token. */
export interface ScopedLimits {
  scope: string;
  limits: SubjectLimits;
}

/** The limits in force; undefined: none. `others`: of the account, the member and the cost centre. */
export function callerLimits(
  tokenId: number,
  {
    token,
    group,
    others,
  }: {
    token: TokenLimits | null;
    group: GroupTokenLimits | null | undefined;
    others: readonly ScopedLimits[];
  },
): CallerLimits | undefined {
  const caps = effectiveCaps(token, group);
  const own = token ?? noLimits;
  const counted = [
    ...others.flatMap(({ scope, limits }) => countedCaps(scope, limits)),
    ...countedCaps(tokenScope(tokenId), { ...own, caps }),
  ];
  if (counted.length === 0 && limitsNothing(own)) return undefined;
  const { reset, time_zone, models, endpoints, addresses, provider } = own;
  return {
    caps,
    counted,
    reset,
    time_zone,
    models: models.length > 0 ? matcherOf(models) : undefined,
    endpoints: endpoints.length > 0 ? new Set(endpoints) : undefined,
    // A list that cannot be read allows no address.
    addresses: addresses.length > 0 ? (parseNetworks(addresses.join('\n')) ?? new BlockList()) : undefined,
    provider,
  };
}

/** The caps of a scope. */
export const countedCaps = (
  scope: string,
  { caps, ...reset }: LimitReset & { caps: readonly Pick<EffectiveCap, 'measure' | 'period' | 'amount'>[] },
): CountedCap[] =>
  caps.map((cap) => ({
    scope,
    name: capName(cap),
    measure: cap.measure,
    period: cap.period,
    amount: cap.amount,
    window: (now) => windowAt(cap.period, reset, now),
  }));

/** The lower of the token's cap and the group's ceiling for each measure and period. */
export function effectiveCaps(token: TokenLimits | null, group: GroupTokenLimits | null | undefined): EffectiveCap[] {
  const caps = new Map<string, EffectiveCap>();
  for (const cap of token?.caps ?? []) caps.set(capName(cap), { ...cap, name: capName(cap), ofGroup: false });
  for (const ceiling of group?.ceilings ?? []) {
    const name = capName(ceiling);
    if (ceiling.amount < (caps.get(name)?.amount ?? Infinity)) caps.set(name, { ...ceiling, name, ofGroup: true });
  }
  return [...caps.values()];
}

/** Whether a model name fits one of the patterns, in which `*` stands for any characters. */
export function matcherOf(patterns: readonly string[]): (model: string) => boolean {
  const exact = new Set(patterns.filter((pattern) => !pattern.includes('*')));
  const wild = patterns.filter((pattern) => pattern.includes('*')).map((pattern) => pattern.split('*'));
  return (model) => exact.has(model) || wild.some((parts) => fits(model, parts));
}

/** In linear time: a regular expression with several stars would not be. */
function fits(model: string, parts: readonly string[]): boolean {
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  if (!model.startsWith(first) || !model.endsWith(last) || model.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = model.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= model.length - last.length;
}
