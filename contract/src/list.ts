import * as z from 'zod/mini';

const atLeastOne = (fallback: number) =>
  z._default(
    z.pipe(
      z.coerce.number(),
      z.transform((n: number) => (n < 1 ? fallback : Math.trunc(n))),
    ),
    fallback,
  );

/** Paging of every list: `page` from 1, `size` up to 100, `order` like `-created_at,id`. */
export function listQuery(columns: readonly string[]) {
  const allowed = new Set(columns);
  return z.object({
    page: atLeastOne(1),
    size: atLeastOne(10).check(z.lte(100)),
    order: z._default(
      z
        .string()
        .check(
          z.refine(
            (order) => order === '' || order.split(',').every((part) => allowed.has(part.trim().replace(/^-/, ''))),
            { error: 'list.order' },
          ),
        ),
      '',
    ),
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
