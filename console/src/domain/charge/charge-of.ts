import {
  type ChargeExplained,
  explainRow,
  extraRatiosOf,
  type Log,
  type PriceRule,
  type PriceTerms,
} from '@relay-hub/contract';
import { withMinus } from '#ui/format/number.ts';

export interface Charge extends ChargeExplained {
  perCall: boolean;
  /** The group's ratio as a decimal. */
  groupRatio: string;
  /** Credits not charged because the balance was too low. */
  shortfall: number;
  /** Whether balance and plans paid the price, apart from the shortfall. */
  agrees: boolean;
}

/** A call's charge, recomputed from its row; undefined for rows without a price. */
export function chargeOf(row: Log): Charge | undefined {
  const { price_type: type, group_ratio: group, shortfall = 0 } = row.metadata ?? {};
  const explained = explainRow(row);
  if (!explained) return undefined;
  return {
    ...explained,
    perCall: type === 'times',
    groupRatio: String(group),
    shortfall,
    agrees: explained.credits - shortfall === chargedOf(row),
  };
}

/** Credits that the balance and plans paid for a call. */
export const chargedOf = ({ quota, metadata }: Pick<Log, 'quota' | 'metadata'>): number =>
  (metadata?.plans ?? []).reduce((sum, { credits }) => sum + credits, quota);

/** Groups digits and pads the fraction to `digits` without changing the value: `4094.4` → `4,094.40`. */
export function groupDigits(decimal: string, digits = 0): string {
  const [whole = '', fraction = ''] = decimal.split('.');
  const filled = fraction.padEnd(digits, '0');
  return withMinus(whole).replace(/\B(?=(\d{3})+$)/g, ',') + (filled === '' ? '' : `.${filled}`);
}

/** The longest fraction among decimals. */
export const fractionDigits = (decimals: readonly string[]): number =>
  Math.max(0, ...decimals.map((each) => each.split('.')[1]?.length ?? 0));

/** The price of a row, and its rules that held; undefined for rows without a price. */
export function ratesOfRow(row: Log): { terms: PriceTerms; rules: readonly PriceRule[] } | undefined {
  const { price_type: type, input_ratio: input, output_ratio: output = 0, rules = [] } = row.metadata ?? {};
  if (type === undefined || input === undefined) return undefined;
  return { terms: { type, input, output, extra_ratios: extraRatiosOf(row) }, rules };
}
