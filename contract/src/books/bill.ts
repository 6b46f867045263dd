import * as z from 'zod/mini';
import { timeZoneField } from '../analytics/analytics-input.ts';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { credits, date, id, idParam, month, seconds, text } from '../values.ts';
import { billActs, billOrigins } from './codes.ts';

const amount = z.nullable(z.number().check(z.gte(-1e12), z.lte(1e15)));

const line = z.object({
  date,
  model: z.string().check(z.trim(), z.maxLength(500)),
  /** In the currency of the bill; null: the file has none. */
  cost: amount,
  requests: amount,
  input: amount,
  output: amount,
  /** Rows of the file, for the bound of their rounding. */
  rows: z.int().check(z.gte(1)),
});

const question = z.object({
  lines: z.array(line).check(z.minLength(1), z.maxLength(20_000)),
  /** The channels that the bill is for. */
  channel_ids: z.array(id).check(z.minLength(1), z.maxLength(200)),
  /** Zone of the bill's days. */
  time_zone: timeZoneField,
  /** Dollars for one unit of the bill's currency. */
  rate: z._default(z.number().check(z.gt(0), z.lte(1_000_000)), 1),
  /** Smallest unit of the bill's amounts, to which each row may be rounded. */
  unit: z._default(z.number().check(z.gte(0), z.lte(1)), 0.01),
});
export type BillQuestion = z.output<typeof question>;

/**
 * Reason of a difference. `only_bill`: no call of the model here, so the key is used elsewhere or the model has another
 * name. `only_here`: not in the bill. `more`, `fewer`: the bill has other quantities. `test`: the bill agrees once tests and
 * checks of channels are added. `unknown_cost`: calls here have no known cost. `day`: the days differ, and their sum does not. `price`: the same quantities at another price.
 * `rounding`: within half a unit for each row of the bill. `cost`: quantities cannot be compared.
 */
export const billCauses = [
  'none',
  'only_bill',
  'only_here',
  'more',
  'fewer',
  'test',
  'unknown_cost',
  'day',
  'price',
  'rounding',
  'cost',
] as const;
export type BillCause = (typeof billCauses)[number];

const side = z.object({
  /** Dollars; null: unknown. */
  cost: z.nullable(z.number()),
  requests: z.nullable(z.number()),
  input: z.nullable(z.number()),
  output: z.nullable(z.number()),
});

const compared = z.object({
  date: z.string(),
  /** As the bill has it, or else as the log has it. */
  model: z.string(),
  /** Names of the model in the log. */
  models: z.array(z.string()),
  bill: side,
  ours: side,
  /** Tests and checks of channels, not in `ours`. */
  tests: z._default(side, { cost: null, requests: null, input: null, output: null }),
  /** Charge of calls here whose cost is unknown. */
  uncosted: credits,
  /** Bill minus ours, in dollars. */
  difference: z.number(),
  cause: z.enum(billCauses),
  /** Cost of the bill ÷ ours at equal quantities; null: unknown. */
  factor: z.nullable(z.number()),
});
export type ComparedLine = z.output<typeof compared>;

export const billReport = z.object({
  from: z.string(),
  to: z.string(),
  /** Dollars. */
  bill: z.number(),
  ours: z.number(),
  /** By size of the difference, largest first; at most 500. */
  lines: z.array(compared),
  line_count: z.int(),
  /** Sums of all lines by cause, largest first. */
  causes: z.array(z.object({ cause: z.enum(billCauses), lines: z.int(), difference: z.number() })),
});
export type BillReport = z.output<typeof billReport>;

const note = z._default(text(2000), '');
const withId = z.object({ id: idParam });

/** A month of a provider's bill, kept with its comparison. */
const keptBill = z.object({
  id,
  /** Provider or account, as the operator calls it. */
  provider: z.string(),
  month: z.string(),
  origin: z.enum(billOrigins),
  /** Days that were compared. */
  from: z.string(),
  to: z.string(),
  channel_ids: z.array(id),
  /** Dollars; of an open bill as last compared. */
  bill: z.number(),
  ours: z.number(),
  closed: z.boolean(),
  updated_time: seconds,
  /** Who saved, closed and reopened it, newest last. Empty: it was fetched at night. */
  events: z.array(z.object({ act: z.enum(billActs), time: seconds, actor: z.string(), note: z.string() })),
});
export type KeptBill = z.output<typeof keptBill>;

const newBill = z.extend(question, { provider: text(60, 1), month, note });
export type NewBill = z.output<typeof newBill>;

export const billSchemas = {
  list: {
    audience: 'admin',
    summary: 'List the kept bills by month and provider, newest month first; at most 500',
    reply: z.array(keptBill),
  },
  save: {
    audience: 'admin',
    summary: 'Keep a month of a provider’s bill with its comparison; replaces an open one, refused if it is closed',
    body: newBill,
    reply: keptBill,
  },
  get: {
    audience: 'admin',
    summary: 'Get a kept bill: compared now while it is open, as it was closed afterwards',
    params: withId,
    reply: z.extend(keptBill, { report: billReport }),
  },
  close: {
    audience: 'admin',
    summary: 'Close a kept bill: its comparison no longer changes when rows are deleted or prices change',
    params: withId,
    body: z.object({ note }),
    reply: keptBill,
  },
  reopen: {
    audience: 'admin',
    summary: 'Reopen a closed bill, with a reason',
    params: withId,
    body: z.object({ note: text(2000, 1) }),
    reply: keptBill,
  },
  remove: {
    audience: 'admin',
    summary: 'Delete a kept bill that is open',
    params: withId,
  },
  compare: {
    audience: 'admin',
    summary: 'Compare a provider’s bill with the costs of channels, by day and model; nothing is stored',
    body: question,
    reply: billReport,
  },
} as const satisfies SchemasByEndpoint;
