import type { Channel } from '@relay-hub/contract';
import { createStore, useStore } from '#api/store.ts';
import { formatFixed, formatSeconds, minus } from '#ui/format/number.ts';

const running = createStore<ReadonlySet<number>>(new Set());

/** The channel whose models are offered for a test, because it has no test model. */
export const channelToTest = createStore<Channel | undefined>(undefined);

/** Whether a test of the channel is running, from anywhere. */
export const useIsTesting = (id: number): boolean => useStore(running).has(id);

/** Marks a test of the channel as running or ended. */
export const markTesting = (id: number, on: boolean): void => {
  const next = new Set(running.get());
  if (on) next.add(id);
  else next.delete(id);
  running.set(next);
};

/** Latency of an answer; below 100 in milliseconds, since they would all read 0.00 s. */
export const latencyText = (ms: number): string => (ms < 100 ? `${ms} ms` : formatSeconds(ms));

/** The model's reply in quotation marks; undefined for models that return numbers. */
export const quoted = (answer: string): string | undefined => (answer.trim() === '' ? undefined : `“${answer.trim()}”`);

const signs: Record<string, string> = { USD: '$', CNY: '¥' };

/** Account balance with its currency sign. */
export function balanceText({
  balance,
  balance_currency: currency,
}: Pick<Channel, 'balance' | 'balance_currency'>): string {
  const amount = formatFixed(Math.abs(balance), 2);
  const sign = signs[currency];
  return `${balance < 0 ? minus : ''}${sign ?? ''}${amount}${sign ? '' : ` ${currency}`}`;
}
