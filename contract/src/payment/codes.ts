/** Kinds of payment gateways, as in the product family. */
export const gatewayTypes = ['epay', 'alipay', 'wxpay', 'stripe'] as const;
export type GatewayKind = (typeof gatewayTypes)[number];

/** Currencies of orders, all with two decimals. Credits are priced in USD; others are converted at the site's rate. */
export const orderCurrencies = ['USD', 'CNY'] as const;
export type OrderCurrency = (typeof orderCurrencies)[number];

/**
 * `pending`: waiting for the payment. `success`: paid and credited. `closed`: expired or cancelled; a late payment is
 * still credited. `failed`: the gateway refused to start it. `disputed`: the payer's bank disputes the payment.
 * `charged_back`: the dispute was lost.
 */
export const orderStatuses = [
  'pending',
  'success',
  'closed',
  'failed',
  'part_refunded',
  'refunded',
  'disputed',
  'charged_back',
] as const;
export type OrderStatus = (typeof orderStatuses)[number];

/** Statuses of orders that were paid and credited. */
export const paidStatuses = ['success', 'part_refunded', 'refunded', 'disputed', 'charged_back'] as const;

export const isPaid = (status: OrderStatus): boolean => (paidStatuses as readonly string[]).includes(status);

/**
 * `processing`: credits are taken back, and the gateway has not confirmed the refund. `refused`: the gateway refused it,
 * and the credits were returned.
 */
export const refundStatuses = ['processing', 'success', 'refused'] as const;
export type RefundStatus = (typeof refundStatuses)[number];

export const disputeStatuses = ['open', 'won', 'lost'] as const;
export type DisputeStatus = (typeof disputeStatuses)[number];

/** Steps in the timeline of an order. */
export const orderEventKinds = [
  'created',
  'started',
  'start_failed',
  'start_unknown',
  'notice_accepted',
  'notice_repeated',
  'notice_ignored',
  'notice_refused',
  'second_payment',
  'queried',
  'query_failed',
  'credited',
  'cancelled',
  'closed',
  'reward_paid',
  'completed_by_hand',
  'refund_started',
  'refund_done',
  'refund_refused',
  'refund_unknown',
  'refund_elsewhere',
  'reward_taken_back',
  'dispute_opened',
  'dispute_won',
  'dispute_lost',
  'dismissed',
] as const;
export type OrderEventKind = (typeof orderEventKinds)[number];

/** Results of checking a notification or a query result against the order. */
export const paymentChecks = ['signature', 'merchant', 'gateway', 'order', 'amount', 'currency', 'paid'] as const;
export type PaymentCheck = (typeof paymentChecks)[number];

/** Why an operator should look at an order. */
export const orderAttentions = [
  'none',
  'second_payment',
  'amount_differs',
  'refund_unknown',
  'refund_elsewhere',
  'disputed',
  'account_deleted',
] as const;
export type OrderAttention = (typeof orderAttentions)[number];

/** Input types of a gateway's fields in the form. */
export const gatewayFieldKinds = ['text', 'longtext', 'choice', 'address'] as const;

/** Largest top-up, in whole dollars. */
export const LARGEST_TOPUP = 1_000_000;
