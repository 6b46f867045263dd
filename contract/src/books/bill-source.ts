import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { id, idParam, seconds, text } from '../values.ts';
import { type BillVendor, billVendors } from './codes.ts';
import { billSchemas } from './bill.ts';

const vendor = z.enum(Object.keys(billVendors) as [BillVendor, ...BillVendor[]]); // its keys
const channels = z.array(id).check(z.minLength(1), z.maxLength(200));
const address = z._default(z.string().check(z.trim(), z.maxLength(500)), '');

/** An account at a provider whose bill can be fetched. */
const source = z.object({
  id,
  vendor,
  /** Also the provider of its kept bills. */
  name: z.string(),
  /** Empty: the provider's own. */
  base_url: z.string(),
  /** Ends of the admin key. */
  key_hint: z.string(),
  channel_ids: z.array(id),
  /** Last time its bill was fetched; 0: never. */
  fetched_time: seconds,
  /** Why the last fetch failed; empty: it did not. */
  last_error: z.string(),
});
export type BillSource = z.output<typeof source>;

const key = z.string().check(z.trim(), z.maxLength(500));
const newSource = z.object({
  vendor,
  name: text(60, 1),
  base_url: address,
  key: key.check(z.minLength(1)),
  channel_ids: channels,
});
export type NewBillSource = z.output<typeof newSource>;

/** An empty key keeps the stored one, which is refused for another address. */
const edit = z.object({ name: text(60, 1), base_url: address, key: z._default(key, ''), channel_ids: channels });
export type BillSourceEdit = z.output<typeof edit>;

const withId = z.object({ id: idParam });

export const billSourceSchemas = {
  list: {
    audience: 'admin',
    summary: 'List the accounts whose bills can be fetched; keys are never returned',
    reply: z.array(source),
  },
  create: {
    audience: 'root',
    summary: 'Add an account whose bill can be fetched, with an admin key of its provider',
    body: newSource,
    reply: source,
  },
  update: {
    audience: 'root',
    summary: 'Update an account whose bill can be fetched',
    params: withId,
    body: edit,
    reply: source,
  },
  remove: {
    audience: 'root',
    summary: 'Delete an account whose bill can be fetched; its kept bills stay',
    params: withId,
  },
  fetch: {
    audience: 'admin',
    summary: 'Fetch a month of the bill from its provider, compare it and keep it',
    params: withId,
    body: z.object({ month: billSchemas.save.body.shape.month }),
    reply: billSchemas.save.reply,
  },
} as const satisfies SchemasByEndpoint;
