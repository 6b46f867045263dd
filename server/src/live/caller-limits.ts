import { BlockList } from 'node:net';
import {
  capName,
  type GroupTokenLimits,
  type LimitEndpoint,
  limitsNothing,
  noLimits,
  type TokenCap,
  type TokenLimits,
} from '@relay-hub/contract';
import { parseNetworks } from '#networks.ts';

/** A cap that is in force. */
export interface EffectiveCap extends TokenCap {
  name: string;
  /** It is the ceiling of the user group. */
  ofGroup: boolean;
}

/** Limits of a token and the ceilings of its owner's group, ready to be checked. */
export interface CallerLimits extends Pick<TokenLimits, 'reset' | 'time_zone'> {
  caps: readonly EffectiveCap[];
  /** Undefined: all. */
  models: ((model: string) => boolean) | undefined;
  endpoints: ReadonlySet<LimitEndpoint> | undefined;
  addresses: BlockList | undefined;
}

/** The limits in force; undefined: none. */
export function callerLimits(
  token: TokenLimits | null,
  group: GroupTokenLimits | null | undefined,
): CallerLimits | undefined {
  const caps = effectiveCaps(token, group);
  const own = token ?? noLimits;
  if (caps.length === 0 && limitsNothing(own)) return undefined;
  const { reset, time_zone, models, endpoints, addresses } = own;
  return {
    caps,
    reset,
    time_zone,
    models: models.length > 0 ? matcherOf(models) : undefined,
    endpoints: endpoints.length > 0 ? new Set(endpoints) : undefined,
    // A list that cannot be read allows no address.
    addresses: addresses.length > 0 ? (parseNetworks(addresses.join('\n')) ?? new BlockList()) : undefined,
  };
}

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
