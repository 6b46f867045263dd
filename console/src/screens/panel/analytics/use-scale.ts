import { axisDollars, dollarsOf, formatDollars } from '#ui/format/money.ts';
import { abbreviate, formatPlain, formatWhole } from '#ui/format/number.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';

/** How a measure's values are drawn and formatted. */
export interface MeasureScale {
  value: (sum: number) => number;
  format: (value: number) => string;
  axis: (value: number) => string;
  /** In downloads. */
  unit?: string;
}

const same = (value: number) => value;

export const requestScale: MeasureScale = { value: same, format: formatWhole, axis: abbreviate };
export const tokenScale: MeasureScale = { value: same, format: abbreviate, axis: abbreviate };
export const speedScale = { axis: (ms: number) => `${formatPlain(ms / 1000, 2)} s` };

/** Credits in the site's display unit; dollars are drawn as dollars for round axis values. */
export function useMoneyScale(): MeasureScale {
  const money = useSiteFormat();
  if (!money.inCurrency) return tokenScale;
  return {
    value: (credits) => dollarsOf(credits, money),
    format: (dollars) => formatDollars(dollars),
    axis: axisDollars,
    unit: '$',
  };
}
