import type {
  DisputeStatus,
  GatewayKind,
  Language,
  OrderAttention,
  OrderCurrency,
  OrderEvent,
  OrderEventKind,
  OrderStatus,
  RefundStatus,
} from '@relay-hub/contract';
import type { Generated } from 'kysely';
import type { JsonColumn } from './json-column.ts';

export interface OrdersTables {
  payment_gateways: {
    id: Generated<number>;
    type: GatewayKind;
    uuid: string;
    name: string;
    icon: string;
    notify_domain: string;
    currency: OrderCurrency;
    /** Cents of USD. */
    fixed_fee_minor: number;
    /** Units of 0.0001: 300 = 3 %. */
    percent_fee_bp: number;
    /** Fields of the type that are not secret. */
    config: JsonColumn<Record<string, string>>;
    /** Encrypted JSON object of the secret fields. */
    secrets_cipher: string;
    sort: number;
    enable: boolean;
    created_at: number;
    updated_at: number;
    last_notice_at: Generated<number>;
    last_refused_at: Generated<number>;
    deleted_time: number | null;
  };
  orders: {
    id: Generated<number>;
    user_id: number;
    gateway_id: number;
    trade_no: string;
    /** The gateway's number of the payment; empty until it is known. */
    gateway_no: Generated<string>;
    /** The gateway's number of the payment page, where it has a separate one. */
    session_no: Generated<string>;
    /** Whole USD. */
    amount: number;
    /** Cents of USD, like the discount. */
    fee_minor: number;
    discount_minor: number;
    order_minor: number;
    order_currency: OrderCurrency;
    rate: string;
    quota: number;
    status: OrderStatus;
    attention: Generated<OrderAttention>;
    /** JSON of `StartedPayment`, to resume the payment; empty before the gateway has responded. */
    start: Generated<string>;
    source_ip: string;
    /** Of log texts, as the payer chose it. */
    language: Language;
    created_at: number;
    updated_at: number;
    expires_at: Generated<number>;
    paid_at: Generated<number>;
    refunded_minor: Generated<number>;
    refunded_quota: Generated<number>;
    receipt_no: Generated<string>;
    /** The inviter whom this order rewards. */
    inviter_id: number | null;
    /** The inviter's share of the order, when it is due (0: not or no more), and what was paid of it. */
    share_quota: Generated<number>;
    share_due: Generated<number>;
    share_paid: Generated<number>;
    /** The plan that its credits buy; null: none. */
    plan_version_id: number | null;
    reward_quota: Generated<number>;
    completed_by: number | null;
    completed_remark: Generated<string>;
    /** When a node queries the gateway next, 0 = never, and the number of queries so far. */
    query_at: Generated<number>;
    queries: Generated<number>;
    /** Last query on behalf of a person. */
    queried_at: Generated<number>;
  };
  /** Timelines of orders. `order_id` 0: notifications that belong to no order. */
  order_events: {
    id: Generated<number>;
    order_id: number;
    gateway_id: number;
    kind: OrderEventKind;
    created_at: number;
    last_at: number;
    count: number;
    checks: JsonColumn<OrderEvent['checks']>;
    facts: JsonColumn<Record<string, string>>;
    /** Request or response, cut and without secrets. */
    evidence: string;
    /** Hash by which equal events are counted instead of repeated; empty: never. */
    print: string;
  };
  refunds: {
    id: Generated<number>;
    order_id: number;
    refund_no: string;
    /** Idempotency key of the client. */
    reference: string;
    quota: number;
    taken_quota: number;
    minor: number;
    status: RefundStatus;
    reason: string;
    remark: string;
    by_hand: boolean;
    gateway_refund_no: Generated<string>;
    credit_note_no: Generated<string>;
    reward_taken: Generated<number>;
    reward_short: Generated<number>;
    actor_id: number;
    created_at: number;
    updated_at: number;
    query_at: Generated<number>;
    queries: Generated<number>;
  };
  disputes: {
    id: Generated<number>;
    order_id: number;
    gateway_id: number;
    dispute_no: string;
    minor: number;
    held_quota: number;
    loss_quota: number;
    status: DisputeStatus;
    reason: string;
    created_at: number;
    due_at: Generated<number>;
    closed_at: Generated<number>;
  };
  /** Last number of each series of receipts and credit notes, without gaps. */
  number_series: { name: string; value: number };
}
