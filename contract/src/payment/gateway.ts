import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { listQuery, pageOf, textFilter } from '../list.ts';
import { id, idParam, seconds } from '../values.ts';
import { orderCurrencies, gatewayFieldKinds, gatewayTypes } from './codes.ts';
import { gatewayEdit, newGateway } from './gateway-input.ts';

/** A payment gateway. Secrets of `config` are masked; forms send them back unchanged or replace them. */
export const paymentGateway = z.object({
  id,
  type: z.enum(gatewayTypes),
  /** Part of its notification address. */
  uuid: z.string(),
  name: z.string(),
  icon: z.string(),
  notify_domain: z.string(),
  /** Complete notification address, to enter at the gateway. */
  notify_url: z.string(),
  /** USD. */
  fixed_fee: z.number(),
  percent_fee: z.number(),
  currency: z.enum(orderCurrencies),
  /** JSON text of the type's fields. */
  config: z.string(),
  /** Higher first. */
  sort: z.int(),
  enable: z.boolean(),
  created_at: seconds,
  updated_at: seconds,
  /** Last notification with a valid signature, and the last refused one; 0 = none. */
  last_notice_at: seconds,
  last_refused_at: seconds,
  /** Orders of the last 7 days that were started, and those of them that were paid. */
  started_orders: z.int(),
  paid_orders: z.int(),
});
export type PaymentGateway = z.infer<typeof paymentGateway>;

/** A gateway as payers see it. */
export const publicGateway = z.pick(paymentGateway, {
  uuid: true,
  type: true,
  name: true,
  icon: true,
  fixed_fee: true,
  percent_fee: true,
  currency: true,
  sort: true,
});
export type PublicGateway = z.infer<typeof publicGateway>;

const gatewayField = z.object({
  /** Key in `config`; the console has its label. */
  name: z.string(),
  kind: z.enum(gatewayFieldKinds),
  /** Write-only. */
  secret: z.boolean(),
  required: z.boolean(),
  /** Value if empty. */
  fallback: z.string(),
  choices: z.array(z.string()),
  /** Shown only while another field has one of these values. */
  when: z.optional(z.object({ name: z.string(), values: z.array(z.string()) })),
});
export type GatewayField = z.infer<typeof gatewayField>;

/** Form description of a gateway type. */
export const gatewayType = z.object({
  type: z.enum(gatewayTypes),
  title: z.string(),
  currencies: z.array(z.enum(orderCurrencies)),
  fields: z.array(gatewayField),
  /** Whether a part of an order can be refunded through the gateway; `none`: only by hand. */
  refunds: z.enum(['part', 'whole', 'none']),
  /** Statement sources for reconciliation. */
  statements: z.array(z.enum(['csv', 'api'])),
  /** Page with the merchant's keys. */
  website: z.string(),
});
export type GatewayType = z.infer<typeof gatewayType>;

/** Result of a harmless request with the gateway's keys. */
export const gatewayTest = z.object({
  ok: z.boolean(),
  /** Error of the gateway, masked; empty on success. */
  message: z.string(),
  milliseconds: z.int(),
});
export type GatewayTest = z.infer<typeof gatewayTest>;

export const gatewayColumns = ['id', 'uuid', 'name', 'type', 'sort', 'enable', 'created_at'] as const;

const withId = z.object({ id: idParam });

export const paymentSchemas = {
  list: {
    audience: 'admin',
    summary: 'List payment gateways; secrets are masked',
    query: z.extend(listQuery(gatewayColumns), {
      /** Prefix of a name, or a UUID. */
      keyword: textFilter,
      name: textFilter,
      uuid: textFilter,
      type: textFilter,
      currency: textFilter,
    }),
    reply: pageOf(paymentGateway),
  },
  types: { audience: 'admin', summary: 'Gateway types with the fields of their form', reply: z.array(gatewayType) },
  get: { audience: 'admin', summary: 'Get a payment gateway', params: withId, reply: paymentGateway },
  create: { audience: 'root', summary: 'Create a payment gateway', body: newGateway, reply: paymentGateway },
  update: {
    audience: 'admin',
    summary: 'Update a payment gateway; keys, currency and notification domain as super administrator',
    body: gatewayEdit,
    reply: paymentGateway,
  },
  arrange: {
    audience: 'admin',
    summary: 'Set the order of gateways; the first is shown first',
    body: z.object({ ids: z.array(id).check(z.minLength(1), z.maxLength(100)) }),
  },
  remove: {
    audience: 'admin',
    summary: 'Delete a payment gateway; payments of its orders are still credited',
    params: withId,
  },
  restore: { audience: 'admin', summary: 'Restore a deleted gateway', params: withId, reply: paymentGateway },
  test: {
    audience: 'admin',
    summary: 'Send a harmless request with the gateway’s keys',
    params: withId,
    reply: gatewayTest,
  },
} as const satisfies SchemasByEndpoint;
