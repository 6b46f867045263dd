import type { Price, PriceInput } from '@relay-hub/contract';
import { saveFile } from '#ui/format/save-file.ts';

/** A price's terms with all extra ratios, rules and fees, so that importing them again changes nothing. */
export const exported = ({
  model,
  type,
  channel_type,
  input,
  output,
  extra_ratios: extra = {},
  rules = [],
  fees = [],
}: Price): PriceInput => ({
  model,
  type,
  channel_type,
  input,
  output,
  extra_ratios: extra,
  rules,
  fees,
});

/** Downloads prices as a file that a price update accepts. */
export const exportPrices = (prices: readonly Price[]): void =>
  saveFile('prices.json', `${JSON.stringify(prices.map(exported), null, 2)}\n`, 'application/json');
