import type { Channel } from '@relay-hub/contract';
import { createStore, useStore } from '#api/store.ts';
import { formatFixed, formatSeconds, minus } from '#ui/format/number.ts';

const running = createStore<ReadonlySet<number>>(new Set());

/** The channel whose models are to be shown, because it has none for a test of its own. */
export const channelToAsk = createStore<Channel | undefined>(undefined);

/** Whether a test of the channel is under way, from wherever it was started. */
export const useIsTesting = (id: number): boolean => useStore(running).has(id);

/** Notes that a test of the channel has begun or ended. */
export const markTesting = (id: number, on: boolean): void => {
  const next = new Set(running.get());
  if (on) next.add(id);
  else next.delete(id);
  running.set(next);
};

/** How long an answer took; the quickest in milliseconds, as they would all be 0.00 s. */
export const latencyText = (ms: number): string => (ms < 100 ? `${ms} ms` : formatSeconds(ms));

/** What the model said, in quotation marks; undefined for models that answer with numbers. */
export const quoted = (answer: string): string | undefined => (answer.trim() === '' ? undefined : `“${answer.trim()}”`);

const signs: Record<string, string> = { USD: '$', CNY: '¥' };

/** What is left on an account, with the sign of its currency. */
export function balanceText({
  balance,
  balance_currency: currency,
}: Pick<Channel, 'balance' | 'balance_currency'>): string {
  const amount = formatFixed(Math.abs(balance), 2);
  const sign = signs[currency];
  return `${balance < 0 ? minus : ''}${sign ?? ''}${amount}${sign ? '' : ` ${currency}`}`;
}
