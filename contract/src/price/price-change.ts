import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { listQuery, pageOf } from '../list.ts';
import { priceInput } from './price-input.ts';
import { idParam, seconds } from '../values.ts';
import { priceChangeKinds } from './codes.ts';

export const priceChange = z.object({
  id: z.int(),
  kind: z.enum(priceChangeKinds),
  /** Mode of an update. */
  mode: z.enum(['overwrite', 'add', '']),
  /** Source of an update: a URL, `built_in` or `list` (uploaded). */
  source: z.string(),
  actor_id: z.int(),
  actor: z.string(),
  created_time: seconds,
  added: z.int(),
  changed: z.int(),
  dropped: z.int(),
  /** Newest version it created; 0 if it only ended versions. */
  version: z.int(),
  undone: z.boolean(),
});
export type PriceChange = z.infer<typeof priceChange>;

/** Price of a model before and after; null if none. */
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
