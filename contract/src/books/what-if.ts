import * as z from 'zod/mini';
import { timeZoneField } from '../analytics/analytics-input.ts';
import { purchasePrice } from '../channel/purchase-price.ts';
import { csvFile, downloadOptions } from '../download.ts';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { priceInput } from '../price/price-input.ts';
import { credits, id, idParam, month, ratio, seconds, text } from '../values.ts';
import { whatIfBases, whatIfCosts, whatIfGroupings, whatIfStates } from './codes.ts';

/** A check that no two entries have the same key. */
const unique = (key: string, error: string) =>
  z.refine<readonly object[]>(
    (list) => new Set(list.map((entry) => Reflect.get(entry, key) as unknown)).size === list.length,
    {
      error,
    },
  );

/** Other terms for the calls of a month. Without any, every sum stays the same. */
const question = z.object({
  month,
  time_zone: timeZoneField,
  /** Name of the report; may be empty. */
  note: z._default(text(200), ''),
  /** Prices of models that are not in `prices`: those that were charged, or those in force now. */
  base: z._default(z.enum(whatIfBases), 'charged'),
  /** Draft prices. Absent multiples, rules and fees are none. */
  prices: z._default(z.array(priceInput).check(z.maxLength(5000), unique('model', 'model.repeated')), []),
  /** Multiplies every charge, as if the ratio of each group were multiplied. Costs stay. */
  factor: z._default(z.number().check(z.gte(0), z.lte(1000)), 1),
  /** Other ratios of groups, by symbol. */
  groups: z._default(
    z.array(z.object({ symbol: text(50, 1), ratio })).check(z.maxLength(500), unique('symbol', 'entry.repeated')),
    [],
  ),
  /**
   * Other purchase prices of channels: a multiple of the list price (null: none) and own prices. Both replace those of the
   * channel.
   */
  channels: z._default(
    z
      .array(
        z.object({
          channel_id: id,
          cost_ratio: z._default(z.nullable(ratio), null),
          prices: z._default(z.array(purchasePrice).check(z.maxLength(2000)), []),
        }),
      )
      .check(z.maxLength(200), unique('channel_id', 'entry.repeated')),
    [],
  ),
  /** Costs of other channels: as recorded, or by their present purchase prices and the prices of this report. */
  costs: z._default(z.enum(whatIfCosts), 'recorded'),
});
export type WhatIfInput = z.input<typeof question>;
export type WhatIfQuestion = z.output<typeof question>;

/** Credits; charges before plans, uncollected and returned credits are taken off. */
const sums = {
  calls: z.int(),
  charged: credits,
  would_charge: credits,
  /** Known costs, and the charge of calls whose cost is known: the margin is the difference. */
  cost: z.number(),
  would_cost: z.number(),
  costed: credits,
  would_costed: credits,
};

const group = z.object({ id: z.string(), name: z.string(), ...sums });
export type WhatIfGroup = z.output<typeof group>;
export type WhatIfSums = Omit<WhatIfGroup, 'id' | 'name'>;

const report = z.object({
  total: z.object(sums),
  /** Calls without a price in their row, such as imported ones; they keep their charge. */
  unpriced: z.int(),
  /** Why `charged` is not the sum that analytics has: paid by plans, and not collected. */
  by_plans: credits,
  uncollected: credits,
  /** By the size of the difference, largest first; those that do not fit are summed up under an empty id. */
  groups: z.record(z.enum(whatIfGroupings), z.array(group)),
});
export type WhatIfReport = z.output<typeof report>;

const run = z.object({
  id,
  created_time: seconds,
  actor: z.string(),
  question,
  state: z.enum(whatIfStates),
  /** Calls of the month by the roll-ups, and rows read. Fewer rows at the end: the log was cleaned. */
  total: z.int(),
  done: z.int(),
  /** 0 while it runs. */
  ended_time: seconds,
  /** Why it failed. */
  error: z.string(),
});
export type WhatIfRun = z.output<typeof run>;

const withId = z.object({ id: idParam });

export const whatIfSchemas = {
  list: {
    audience: 'admin',
    summary: 'List the last what-if reports, newest first',
    reply: z.array(run),
  },
  start: {
    audience: 'admin',
    summary:
      'Price a past month again with other prices, group ratios or purchase prices; changes nothing that was charged',
    body: question,
    reply: run,
  },
  get: {
    audience: 'admin',
    summary: 'Get a what-if report',
    params: withId,
    /** Null until it is done. */
    reply: z.extend(run, { report: z.nullable(report) }),
  },
  cancel: {
    audience: 'admin',
    summary: 'Cancel a what-if report that is running',
    params: withId,
    reply: run,
  },
  remove: {
    audience: 'admin',
    summary: 'Delete a what-if report',
    params: withId,
  },
  download: {
    audience: 'admin',
    summary: 'Export a what-if report as CSV',
    params: withId,
    query: z.object({ by: z._default(z.enum(whatIfGroupings), 'model'), language: downloadOptions.language }),
    file: csvFile,
  },
} as const satisfies SchemasByEndpoint;
