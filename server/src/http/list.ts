import type { ListQuery, Page } from '@relay-hub/contract';
import type { Expression, SelectQueryBuilder } from 'kysely';
import { sql } from 'kysely';

/** Parses `-created_at,id`; newest first by default. The contract has checked the columns. */
function orderTerms(order: string): { column: string; direction: 'asc' | 'desc' }[] {
  const terms = order
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) =>
      part.startsWith('-')
        ? ({ column: part.slice(1), direction: 'desc' } as const)
        : ({ column: part, direction: 'asc' } as const),
    );
  // The id makes the order total, so that each row is on exactly one page.
  const last = terms[0]?.direction ?? 'desc';
  return terms.some(({ column }) => column === 'id') ? terms : [...terms, { column: 'id', direction: last }];
}

/** One page of a query, and the total number of rows. `worked`: orders by computed values instead of columns. */
export async function pageOfRows<DB, T extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, T, Row>,
  { page, size, order }: ListQuery,
  worked: Record<string, Expression<unknown>> = {},
): Promise<Page<Row>> {
  let rows = query;
  for (const { column, direction } of orderTerms(order))
    rows = rows.orderBy(worked[column] ?? sql.ref(column), direction);
  const [data, counted] = await Promise.all([
    rows
      .limit(size)
      .offset((page - 1) * size)
      .execute(),
    query
      .clearSelect()
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .$castTo<{ total: number }>() // not inferred for a generic database
      .executeTakeFirstOrThrow(),
  ]);
  return { data, page, size, total_count: counted.total };
}
