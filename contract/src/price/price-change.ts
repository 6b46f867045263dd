import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { listQuery, pageOf } from '../list.ts';
import { priceInput } from './price-input.ts';
import { idParam, seconds } from '../values.ts';
import { priceChangeKinds } from './codes.ts';

export const priceChange = z.object({
  id: z.int(),
  kind: z.enum(priceChangeKinds),
  /** Of an update: what was done with prices that the list does not have, or has otherwise. */
  mode: z.enum(['overwrite', 'add', '']),
  /** Of an update: an address, `built_in` or `list` (rows that were sent along). */
  source: z.string(),
  actor_id: z.int(),
  actor: z.string(),
  created_time: seconds,
  added: z.int(),
  changed: z.int(),
  dropped: z.int(),
  /** The newest version that it began; 0 when it only ended some. */
  version: z.int(),
  undone: z.boolean(),
});
export type PriceChange = z.infer<typeof priceChange>;

/** Before and after of one model; null where there was, or is, no price. */
const changedPrice = z.object({
  model: z.string(),
  before: z.nullable(priceInput),
  after: z.nullable(priceInput),
});
export type ChangedPrice = z.infer<typeof changedPrice>;

const withId = z.object({ id: idParam });

export const priceChangeSchemas = {
  list: {
    audience: 'admin',
    summary: 'List price changes, newest first',
    query: z.extend(listQuery(['id']), { kind: z._default(z.enum([...priceChangeKinds, '']), '') }),
    reply: pageOf(priceChange),
  },
  get: {
    audience: 'admin',
    summary: 'Get a price change with the prices before and after it',
    params: withId,
    reply: z.extend(priceChange, { prices: z.array(changedPrice) }),
  },
  undo: {
    audience: 'admin',
    summary: 'Undo a price change, unless one of its prices has changed since',
    params: withId,
    reply: z.nullable(priceChange),
  },
} as const satisfies SchemasByEndpoint;
