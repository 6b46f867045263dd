import * as z from 'zod/mini';

/** A page past every end; offsets stay whole numbers. */
const LAST_PAGE = 1_000_000_000_000;

/** Values below 1 mean the fallback, as in the product family. */
const atLeastOne = (fallback: number) =>
  z.coerce.number().check(z.overwrite((value) => (value < 1 ? fallback : Math.min(Math.trunc(value), LAST_PAGE))));

/** Columns with `-` for descending, separated by commas. */
function orderOf(columns: readonly string[]) {
  const column = `\\s*-?(${columns.join('|')})\\s*`;
  return z.string().check(z.regex(new RegExp(`^(${column}(,${column})*)?$`), { error: 'list.order' }));
}

/** Paging of every list: `page` from 1, `size` up to 100, `order` like `-created_at,id`. */
export function listQuery(columns: readonly string[]) {
  return z.object({
    page: z._default(atLeastOne(1), 1),
    size: z._default(atLeastOne(10).check(z.lte(100)), 10),
    order: z._default(orderOf(columns), ''),
  });
}

/** Parsed result of `listQuery`. */
export interface ListQuery {
  page: number;
  size: number;
  order: string;
}

export interface Page<T> {
  data: T[];
  page: number;
  size: number;
  total_count: number;
}

export const pageOf = <T extends z.ZodMiniType>(row: T) =>
  z.object({ data: z.array(row), page: z.int(), size: z.int(), total_count: z.int() });

/** A filter on a number; absent and 0 mean "no filter". */
export const numberFilter = z._default(z.coerce.number().check(z.int(), z.gte(0), z.lte(2_147_483_647)), 0);

/** A filter on text; absent and empty mean "no filter". */
export const textFilter = z._default(z.string().check(z.trim(), z.maxLength(200)), '');

/** A choice from 1 to `last`; absent and 0 mean "no filter". */
export const choice = (last: number) => z._default(z.coerce.number().check(z.int(), z.gte(0), z.lte(last)), 0);
