import { randomInt } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Tables } from '#db/tables.ts';

const RANDOM_DIGITS = 10;

/** A number of 24 digits: the time in UTC and random digits, because several nodes number without asking each other. */
export function newTradeNo(now: number): string {
  const time = new Date(now * 1000).toISOString().replaceAll(/\D/g, '').slice(0, 14);
  return time + String(randomInt(10 ** RANDOM_DIGITS)).padStart(RANDOM_DIGITS, '0');
}

/** The number of a refund, which the gateway gets as its idempotency key. */
export const newRefundNo = (now: number): string => `R${newTradeNo(now)}`;

/** The next number of a yearly series without gaps: it is taken back if the transaction fails. `2026-000418`. */
export async function nextInSeries(
  trx: Transaction<Tables>,
  series: 'receipt' | 'credit_note',
  now: number,
): Promise<string> {
  const year = new Date(now * 1000).getUTCFullYear();
  const { value } = await trx
    .insertInto('number_series')
    .values({ name: `${series}:${year}`, value: 1 })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((eb) => ({ value: eb('number_series.value', '+', 1) })),
    )
    .returning('value')
    .executeTakeFirstOrThrow();
  return `${series === 'receipt' ? '' : 'C'}${year}-${String(value).padStart(6, '0')}`;
}
