import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { id, seconds } from '../values.ts';
import { orderCurrencies } from './codes.ts';
import { LARGEST_STATEMENT } from './order-input.ts';

/**
 * `missing_here`: the gateway has a payment that was not credited. `missing_there`: an order was credited, and the
 * statement lacks it. `amount`, `state`: both have it and differ. `refund`: a refund differs.
 */
export const differenceKinds = ['missing_here', 'missing_there', 'amount', 'state', 'refund'] as const;

const side = z.nullable(z.object({ minor: z.int(), refunded_minor: z.int(), state: z.string() }));

export const difference = z.object({
  kind: z.enum(differenceKinds),
  trade_no: z.string(),
  gateway_no: z.string(),
  /** 0 = no such order. */
  order_id: z.int(),
  at: seconds,
  here: side,
  there: side,
});
export type Difference = z.infer<typeof difference>;

export const reconciliation = z.object({
  gateway_id: id,
  currency: z.enum(orderCurrencies),
  /** The compared period; both inclusive. */
  from: seconds,
  to: seconds,
  /** Rows of the statement, and rows that could not be read. */
  rows: z.int(),
  unreadable: z.array(z.object({ line: z.int(), problem: z.string() })),
  matched: z.int(),
  /** Sums in minor units. */
  here_minor: z.int(),
  there_minor: z.int(),
  differences: z.array(difference),
});
export type Reconciliation = z.infer<typeof reconciliation>;

export const reconciliationSchemas = {
  compare: {
    audience: 'admin',
    summary: 'Compare the orders of a gateway with its statement: CSV text, or fetched from its API if `csv` is empty',
    body: z.object({
      gateway_id: id,
      from: seconds.check(z.gte(0)),
      to: seconds.check(z.gte(0)),
      csv: z._default(z.string().check(z.trim(), z.maxLength(LARGEST_STATEMENT)), ''),
    }),
    reply: reconciliation,
  },
} as const satisfies SchemasByEndpoint;
