import * as z from 'zod/mini';
import { csvFile, downloadOptions } from '../download.ts';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { ledgerEntry } from '../ledger/ledger.ts';
import { listQuery, numberFilter, pageOf, textFilter } from '../list.ts';
import { credits, id, idParam, quota, seconds } from '../values.ts';
import {
  orderCurrencies,
  disputeStatuses,
  gatewayTypes,
  orderAttentions,
  orderEventKinds,
  orderStatuses,
  paymentChecks,
  refundStatuses,
} from './codes.ts';
import { publicGateway } from './gateway.ts';
import { newOrder, newRefund, remarkInput, settledRefund, tradeNo } from './order-input.ts';

/** Minor units (cents, fen). */
const minor = z.int();

const common = {
  id,
  trade_no: z.string(),
  gateway_name: z.string(),
  gateway_type: z.enum(gatewayTypes),
  gateway_icon: z.string(),
  /** Whole USD that are credited. */
  amount: z.int(),
  /** USD; `amount − discount + fee` is the price before conversion. The `_minor` fields are in cents. */
  fee: z.number(),
  fee_minor: minor,
  discount: z.number(),
  discount_minor: minor,
  /** Sum to pay in `order_currency`; `order_minor` in its minor units. */
  order_amount: z.number(),
  order_minor: minor,
  order_currency: z.enum(orderCurrencies),
  /** `order_currency` per USD at the time of the order, as decimal text. */
  rate: z.string(),
  /** Credits. */
  quota,
  status: z.enum(orderStatuses),
  created_at: seconds,
  updated_at: seconds,
  /** Until when the payment can be made; 0 = not started. */
  expires_at: seconds,
  /** 0 = not paid. */
  paid_at: seconds,
  refunded_minor: minor,
  refunded_quota: quota,
  /** Empty until paid. */
  receipt_no: z.string(),
};

/** An order as its owner sees it. */
export const ownOrder = z.object(common);
export type OwnOrder = z.infer<typeof ownOrder>;

/** How to pay: `type` 1 opens `url` with `params` as a form or link, 2 shows `url` as a QR code. */
export const paymentStart = z.object({
  trade_no: z.string(),
  type: z.union([z.literal(1), z.literal(2)]),
  data: z.object({
    url: z.string(),
    method: z.optional(z.enum(['GET', 'POST'])),
    params: z.optional(z.record(z.string(), z.string())),
  }),
  expires_at: seconds,
});
export type PaymentStart = z.infer<typeof paymentStart>;

export const ownOrderDetail = z.extend(ownOrder, {
  /** Null unless the order is pending and can still be paid. */
  start: z.nullable(paymentStart),
  /** The owner's current balance. */
  balance: credits,
});
export type OwnOrderDetail = z.infer<typeof ownOrderDetail>;

/** A receipt: money only, no credits. */
export const receipt = z.object({
  receipt_no: z.string(),
  issued_at: seconds,
  paid_at: seconds,
  seller: z.string(),
  /** User name and e-mail. */
  buyer: z.string(),
  trade_no: z.string(),
  gateway_name: z.string(),
  gateway_no: z.string(),
  amount: z.int(),
  discount_minor: minor,
  fee_minor: minor,
  rate: z.string(),
  order_minor: minor,
  order_currency: z.enum(orderCurrencies),
  /** Credit notes of refunds. */
  refunds: z.array(z.object({ credit_note_no: z.string(), minor, reason: z.string(), refunded_at: seconds })),
});
export type Receipt = z.infer<typeof receipt>;

/** An order as administrators see it. */
export const order = z.extend(ownOrder, {
  user_id: id,
  username: z.string(),
  gateway_id: id,
  gateway_no: z.string(),
  attention: z.enum(orderAttentions),
  /** Administrator who completed it by hand; empty otherwise. */
  completed_by: z.string(),
});
export type Order = z.infer<typeof order>;

export const orderEvent = z.object({
  id,
  kind: z.enum(orderEventKinds),
  created_at: seconds,
  /** Time and number of equal events, such as repeated notifications. */
  last_at: seconds,
  count: z.int(),
  /** Checks in their order; the last one failed unless all passed. */
  checks: z.array(z.object({ check: z.enum(paymentChecks), ok: z.boolean() })),
  /** Facts by name: state, amount, number, reason, actor. */
  facts: z.record(z.string(), z.string()),
  /** Whether the request or response is kept. */
  has_evidence: z.boolean(),
});
export type OrderEvent = z.infer<typeof orderEvent>;

export const refund = z.object({
  id,
  refund_no: z.string(),
  /** Credits of the order that were refunded; `taken_quota` of them were taken from the balance. */
  quota,
  taken_quota: quota,
  minor,
  currency: z.enum(orderCurrencies),
  status: z.enum(refundStatuses),
  reason: z.string(),
  remark: z.string(),
  by_hand: z.boolean(),
  gateway_refund_no: z.string(),
  credit_note_no: z.string(),
  /** The inviter's reward that was taken back, and the part that their balance did not cover. */
  reward_taken: quota,
  reward_short: quota,
  actor_name: z.string(),
  created_at: seconds,
  updated_at: seconds,
});
export type Refund = z.infer<typeof refund>;

export const dispute = z.object({
  id,
  dispute_no: z.string(),
  status: z.enum(disputeStatuses),
  minor,
  currency: z.enum(orderCurrencies),
  /** Credits taken from the balance, and the part that was already spent. */
  held_quota: quota,
  loss_quota: quota,
  reason: z.string(),
  /** Deadline for evidence; 0 = none. */
  due_at: seconds,
  created_at: seconds,
  closed_at: seconds,
});
export type Dispute = z.infer<typeof dispute>;

export const orderDetail = z.extend(order, {
  events: z.array(orderEvent),
  refunds: z.array(refund),
  disputes: z.array(dispute),
  /** The payer's balance now. */
  balance: credits,
  /** Credits of this order that are not spent; older credits are spent first. */
  unspent_quota: quota,
  source_ip: z.string(),
  /** Merchant account at the gateway, masked. */
  merchant: z.string(),
  /** Capabilities of the gateway type, and whether the gateway still exists. */
  refunds_by_gateway: z.enum(['part', 'whole', 'none']),
  gateway_deleted: z.boolean(),
  completed_remark: z.string(),
  /** When the gateway is asked next; 0 = not planned. */
  next_query_at: seconds,
  /** What the order, its refunds and its disputes moved on the payer's balance, oldest first. */
  entries: z.array(ledgerEntry),
});
export type OrderDetail = z.infer<typeof orderDetail>;

export const orderColumns = ['id', 'gateway_id', 'user_id', 'status', 'created_at', 'order_minor', 'quota'] as const;

const filters = {
  /** An order number, a gateway's number, or a user name, each complete. */
  keyword: textFilter,
  user_id: numberFilter,
  username: textFilter,
  gateway_id: numberFilter,
  gateway_type: textFilter,
  trade_no: textFilter,
  gateway_no: textFilter,
  status: textFilter,
  /** `any` for every order that needs attention, or one reason. */
  attention: textFilter,
  /** Creation time in Unix seconds, both inclusive. */
  start_timestamp: numberFilter,
  end_timestamp: numberFilter,
};
export const orderFilters = z.object(filters);
export type OrderFilters = z.output<typeof orderFilters>;

/** Matching orders by status, and sums of money by currency. */
export const orderTotals = z.object({
  count: z.int(),
  by_status: z.array(z.object({ status: z.enum(orderStatuses), count: z.int() })),
  /** Of paid orders; `refunded_minor` of it was returned. */
  by_currency: z.array(
    z.object({ currency: z.enum(orderCurrencies), count: z.int(), paid_minor: minor, refunded_minor: minor }),
  ),
  attention: z.int(),
});
export type OrderTotals = z.infer<typeof orderTotals>;

/** A notification that belongs to no order. */
export const strayNotice = z.extend(orderEvent, { gateway_id: id, gateway_name: z.string() });
export type StrayNotice = z.infer<typeof strayNotice>;

const byId = z.object({ id: idParam });
const byTradeNo = z.object({ trade_no: tradeNo });
const reply = { params: byId, reply: orderDetail } as const;

export const orderSchemas = {
  list: {
    audience: 'admin',
    summary: 'List payment orders, newest first',
    query: z.extend(listQuery(orderColumns), filters),
    reply: pageOf(order),
  },
  totals: { audience: 'admin', summary: 'Counts and sums of matching orders', query: orderFilters, reply: orderTotals },
  download: {
    audience: 'admin',
    summary: 'Export matching orders as CSV, newest first',
    query: z.extend(orderFilters, downloadOptions),
    file: csvFile,
  },
  get: { audience: 'admin', summary: 'Get an order with its timeline, refunds and disputes', ...reply },
  evidence: {
    audience: 'admin',
    summary: 'The stored request or response of a timeline event',
    params: byId,
    reply: z.object({ text: z.string() }),
  },
  ask: {
    audience: 'admin',
    summary: 'Query the gateway about an order and apply the result',
    params: byId,
    body: z.optional(z.object({})),
    reply: orderDetail,
  },
  complete: {
    audience: 'root',
    summary: 'Credit an unpaid order without the gateway’s confirmation; it stays marked',
    params: byId,
    body: remarkInput,
    reply: orderDetail,
  },
  refund: {
    audience: 'admin',
    summary: 'Refund an order in whole or in part: takes the credits back, then asks the gateway',
    params: byId,
    body: newRefund,
    reply: orderDetail,
  },
  askRefund: {
    audience: 'admin',
    summary: 'Query the gateway about a refund (id of the refund)',
    params: byId,
    body: z.optional(z.object({})),
    reply: orderDetail,
  },
  settleRefund: {
    audience: 'root',
    summary: 'End a refund with an unknown result by hand (id of the refund)',
    params: byId,
    body: settledRefund,
    reply: orderDetail,
  },
  dismiss: {
    audience: 'admin',
    summary: 'Mark an order’s problem as handled',
    params: byId,
    body: remarkInput,
    reply: orderDetail,
  },
  receipt: { audience: 'admin', summary: 'Receipt of a paid order', params: byId, reply: receipt },
  strays: {
    audience: 'admin',
    summary: 'List notifications that belong to no order, newest first',
    query: listQuery(['id']),
    reply: pageOf(strayNotice),
  },
} as const satisfies SchemasByEndpoint;

export const ownOrderSchemas = {
  gateways: { audience: 'user', summary: 'Gateways that you can pay with', reply: z.array(publicGateway) },
  create: {
    audience: 'user',
    summary: 'Order a top-up; returns how to pay',
    body: newOrder,
    reply: paymentStart,
  },
  status: {
    audience: 'user',
    summary: '`success` is true once your order is paid',
    query: z.object({ trade_no: textFilter }),
  },
  list: {
    audience: 'user',
    summary: 'List your orders, newest first',
    query: z.extend(listQuery(['created_at', 'id']), { status: textFilter, trade_no: textFilter }),
    reply: pageOf(ownOrder),
  },
  get: { audience: 'user', summary: 'Get your order', params: byTradeNo, reply: ownOrderDetail },
  check: {
    audience: 'user',
    summary: 'Query the gateway about your order, at most every few seconds',
    params: byTradeNo,
    body: z.optional(z.object({})),
    reply: ownOrderDetail,
  },
  cancel: {
    audience: 'user',
    summary: 'Cancel your unpaid order; a payment that was already made is credited instead',
    params: byTradeNo,
    body: z.optional(z.object({})),
    reply: ownOrderDetail,
  },
  receipt: { audience: 'user', summary: 'Receipt of your paid order', params: byTradeNo, reply: receipt },
} as const satisfies SchemasByEndpoint;
