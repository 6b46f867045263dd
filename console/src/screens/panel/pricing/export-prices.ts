import type { Price, PriceInput } from '@relay-hub/contract';

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
export function exportPrices(prices: readonly Price[]): void {
  const file = new Blob([`${JSON.stringify(prices.map(exported), null, 2)}\n`], { type: 'application/json' });
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = 'prices.json';
  link.click();
  // Firefox starts the download with a delay.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
