import type { Rates } from './charge.ts';
import { format } from './decimal.ts';
import type { Usage } from './usage-kinds.ts';

/** Parts of a prompt that a cache makes cheaper, or whose write to it costs extra. */
const cacheKinds = ['cached', 'cachedAudio', 'cachedImage', 'cacheRead', 'cacheWrite', 'cacheWrite1h'] as const;

/** Savings of prompt caches in a call. Negative: writes cost more than reads saved. */
export interface CacheSavings {
  /** Exact decimal of credits, group ratio included. */
  exact: string;
  /** Rounded to a whole credit, half away from zero; sums of calls add these up. */
  credits: number;
}

/**
 * Tokens read from a cache × (rate of plain input − rate of the read), minus tokens written × their surcharge. `rates`
 * are those of the charge, so rules and group ratio are included. A `times` price saves nothing.
 */
export function cacheSavings({ type, perToken, unit, scale }: Rates, usage: Usage): CacheSavings {
  if (type === 'times') return { exact: '0', credits: 0 };
  let digits = 0n;
  for (const kind of cacheKinds) {
    const count = usage[kind];
    if (Number.isSafeInteger(count) && count > 0) digits += BigInt(count) * (perToken.input - perToken[kind]);
  }
  const half = digits < 0n ? -unit : unit;
  // Division cuts towards zero.
  return { exact: format({ digits, scale }), credits: Number((2n * digits + half) / (2n * unit)) };
}
