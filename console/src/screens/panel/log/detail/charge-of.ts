import { explainCharge, extraRatiosOf, usageOf, type ChargeExplained, type Log } from '@relay-hub/contract';
import { withMinus } from '#ui/format/number.ts';

export interface Charge extends ChargeExplained {
  perCall: boolean;
  /** The ratio of the group, as a decimal. */
  groupRatio: string;
  /** Credits that were not taken because the balance was short. */
  shortfall: number;
  /** What was charged is what the price says, but for the shortfall. */
  agrees: boolean;
}

/** The charge of a call worked out again from what its row keeps; undefined for rows that keep no price. */
export function chargeOf(row: Log): Charge | undefined {
  const {
    price_type: type,
    input_ratio: input,
    output_ratio: output = 0,
    group_ratio: group,
    shortfall = 0,
  } = row.metadata ?? {};
  if (type === undefined || input === undefined || group === undefined) return undefined;
  const explained = explainCharge({ type, input, output, extra_ratios: extraRatiosOf(row) }, group, usageOf(row));
  return {
    ...explained,
    perCall: type === 'times',
    groupRatio: String(group),
    shortfall,
    agrees: explained.credits - shortfall === row.quota,
  };
}

/** Puts commas into a decimal and fills its fraction up to `digits`, changing nothing of its value: `4094.4` → `4,094.40`. */
export function groupDigits(decimal: string, digits = 0): string {
  const [whole = '', fraction = ''] = decimal.split('.');
  const filled = fraction.padEnd(digits, '0');
  return withMinus(whole).replace(/\B(?=(\d{3})+$)/g, ',') + (filled === '' ? '' : `.${filled}`);
}

/** The most digits after the point among decimals. */
export const fractionDigits = (decimals: readonly string[]): number =>
  Math.max(0, ...decimals.map((each) => each.split('.')[1]?.length ?? 0));
