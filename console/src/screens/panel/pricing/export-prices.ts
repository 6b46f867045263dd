import type { Price, PriceInput } from '@relay-hub/contract';

/** What a price says, with its multiples also where there are none, so that reading it back changes nothing. */
export const exported = ({
  model,
  type,
  channel_type,
  input,
  output,
  extra_ratios: extra = {},
}: Price): PriceInput => ({
  model,
  type,
  channel_type,
  input,
  output,
  extra_ratios: extra,
});

/** Hands the browser a file of prices, in the form that an update takes. */
export function exportPrices(prices: readonly Price[]): void {
  const file = new Blob([`${JSON.stringify(prices.map(exported), null, 2)}\n`], { type: 'application/json' });
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = 'prices.json';
  link.click();
  // The browser has taken it by then; Firefox needs a moment.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
