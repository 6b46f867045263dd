import type { PriceRule, PriceTerms } from '@relay-hub/contract';

/** Rules that a buyer has to know: those that have not ended and change something. */
export const rulesAhead = (rules: readonly PriceRule[] | undefined, now: number): PriceRule[] =>
  (rules ?? []).filter(
    ({ effect, input, output, kinds, valid_to: end }) =>
      (end === undefined || end > now) && (effect === 'replace' || input !== 1 || output !== 1 || kinds !== undefined),
  );

/** Whether a price has rules or fees that a buyer has to know. */
export const isRuled = ({ rules, fees = [] }: PriceTerms): boolean =>
  fees.length > 0 || rulesAhead(rules, Date.now() / 1000).length > 0;
