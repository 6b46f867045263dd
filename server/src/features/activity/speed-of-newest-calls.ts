import type { Activity, Quantiles } from '@relay-hub/contract';
import { sql } from 'kysely';
import type { Db } from '#db/tables.ts';
import { findPage } from '#features/log/log-page.ts';
import type { LogSearch } from '#features/log/log-search.ts';
import { quick } from '#features/log/log-walk.ts';

const SAMPLED_CALLS = 1000;

/** Duration and time to first token of the latest calls of a search, at most 1,000. Failed calls are left out. */
export async function speedOfNewestCalls(db: Db, search: LogSearch): Promise<Activity['speed']> {
  const page = { page: 1, size: SAMPLED_CALLS, order: '', after: '', before: '' };
  const { ids, next } = await findPage(db, search, page, { going: 'desc', budget: quick });
  const rows =
    ids.length === 0
      ? []
      : await db
          .selectFrom('logs')
          .where('id', 'in', ids)
          .where('failed', '=', false)
          .select([
            'request_time as ms',
            'is_stream',
            sql<number | null>`cast(metadata ->> 'first_response' as integer)`.as('firstMs'),
          ])
          .execute();
  return {
    calls: ids.length,
    complete: next === '',
    duration: quantilesOf(rows.map(({ ms }) => ms).filter((ms) => ms > 0)),
    first_token: quantilesOf(rows.flatMap(({ is_stream, firstMs }) => (is_stream && firstMs ? [firstMs] : []))),
  };
}

/** By nearest rank; null without values. */
export function quantilesOf(values: readonly number[]): Quantiles | null {
  const sorted = values.toSorted((a, b) => a - b);
  const below = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return sorted.length === 0 ? null : { calls: sorted.length, p50: below(0.5), p95: below(0.95) };
}
