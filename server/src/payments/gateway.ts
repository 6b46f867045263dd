import type { GatewayKind, GatewayType, OrderCurrency, PaymentCheck } from '@relay-hub/contract';

/** Values of a gateway's form fields, secrets included; absent and empty fields have their fallback. */
export type GatewayConfig = Readonly<Record<string, string>>;

export interface GatewayRequest {
  method: 'GET' | 'POST';
  address: string;
  headers?: Record<string, string>;
  body?: string;
}

export interface GatewayResponse {
  status: number;
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

/** Context of an operation of an adapter; nothing is kept between operations, so edited keys apply at once. */
export interface GatewayContext {
  config: GatewayConfig;
  currency: OrderCurrency;
  /** Where the gateway sends notifications; no query string. */
  notifyUrl: string;
  /** Unix seconds. */
  now: number;
  /**
   * Sends a request through the outbound guard: no redirects, at most 1 MiB, 20 s. Throws `GatewayError` with the
   * outcome `unknown` if there is no response.
   */
  send(request: GatewayRequest): Promise<GatewayResponse>;
}

/** A payment to start, with the sum in minor units. */
export interface PaymentRequest {
  tradeNo: string;
  minor: number;
  currency: OrderCurrency;
  /** Text for the payer: the site's name and the purchase. */
  description: string;
  /** Unix seconds. */
  expiresAt: number;
  /** Page of the console that follows the order. */
  returnUrl: string;
  clientIp: string;
  /** Empty if unknown. */
  email: string;
  device: 'desktop' | 'mobile';
  language: string;
}

/** How the payer pays: a form or link to open, or the content of a QR code. */
export type StartedPayment = (
  | { show: 'form'; url: string; method: 'GET' | 'POST'; params: Record<string, string> }
  | { show: 'qr'; url: string }
) & {
  /** The gateway's number of the payment page, if it has one; handed back as `sessionNo`. */
  sessionNo?: string;
  /** When the gateway itself ends the payment, if earlier than requested. */
  expiresAt?: number;
};

/** An order as adapters know it. */
export interface PaymentRef {
  tradeNo: string;
  /** Empty until it is known. */
  gatewayNo: string;
  sessionNo: string;
  minor: number;
  currency: OrderCurrency;
}

/** A payment as the gateway reports it, in a notification or as the result of a query. */
export interface PaymentReport {
  tradeNo: string;
  gatewayNo: string;
  /** Total of the order, before coupons of the gateway. Null: the gateway did not report it. */
  minor: number | null;
  /** Upper case; a gateway with a single currency states that one. */
  currency: string;
  /** Whether the money was taken, also if it was refunded later. */
  paid: boolean;
  /** Part that was refunded, if the gateway reports it with the payment. */
  refundedMinor?: number;
  /** The gateway's word for the state, for the timeline. */
  state: string;
}

export interface RefundRequest {
  refundNo: string;
  minor: number;
  reason: string;
}

export interface RefundReport {
  /** `missing`: the gateway knows no such refund, so it can be sent again. */
  state: 'success' | 'processing' | 'refused' | 'missing';
  gatewayRefundNo: string;
  /** The gateway's word or error, masked. */
  detail: string;
}

/** A notification, verified. */
export type GatewayNotice =
  | ({ kind: 'payment' } & PaymentReport)
  /**
   * A refund, also one that was started at the gateway. `refundNo` is ours, if the gateway returns it. `cumulative`:
   * `minor` is the sum of all refunds of the payment.
   */
  | ({
      kind: 'refund';
      refundNo: string;
      tradeNo: string;
      gatewayNo: string;
      minor: number;
      cumulative?: boolean;
    } & RefundReport)
  | {
      kind: 'dispute';
      disputeNo: string;
      tradeNo: string;
      gatewayNo: string;
      minor: number;
      currency: string;
      state: 'open' | 'won' | 'lost';
      reason: string;
      /** Unix seconds; 0 = none. */
      dueAt: number;
    }
  /** The gateway ended the payment without money. */
  | { kind: 'ended'; tradeNo: string; state: string }
  /** Valid, and of no interest. */
  | { kind: 'other'; state: string };

/** A notification as received. */
export interface RawNotice {
  method: string;
  /** Without the question mark. */
  query: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

export interface NoticeReply {
  status: number;
  type: string;
  body: string;
}

/** `unpaid`: can still be paid. `processing`: the payer has paid by a method that takes days. `ended`: cannot any more. `missing`: the gateway has no such payment (yet). */
export type PaymentState =
  | ({ state: 'paid' } & PaymentReport)
  | { state: 'unpaid' | 'processing' | 'ended' | 'missing'; detail: string };

/** A row of a gateway's statement. */
export interface StatementRow {
  /** Line or index in the source, from 1. */
  line: number;
  kind: 'payment' | 'refund';
  tradeNo: string;
  gatewayNo: string;
  minor: number;
  state: string;
  /** Unix seconds; 0 = unknown. */
  at: number;
}

/** An adapter. All functions are stateless. */
export interface PaymentGatewayAdapter {
  type: GatewayKind;
  /** Form description, without `type`. */
  form: Omit<GatewayType, 'type'>;
  /** Normalises and checks a configuration before it is saved. Throws `GatewayFieldError`. */
  check(config: GatewayConfig): GatewayConfig;
  /** Origin that stored secrets are sent to; changing it requires the secrets again. */
  destination(config: GatewayConfig): string;
  /** Refunds of a gateway whose configuration decides; `form.refunds` if absent. */
  refundsFor?(config: GatewayConfig): GatewayType['refunds'];
  /** Masked merchant account, for the operator. */
  merchant(config: GatewayConfig): string;
  /**
   * Registers at the gateway what notifications need, after creation and changes; returns values to store. Throws
   * `GatewayError`.
   */
  prepare?(context: GatewayContext): Promise<Record<string, string>>;
  /** Fields that `prepare` fills; it is not called if the operator entered one of them. */
  preparedFields?: readonly string[];
  /** Starts a payment. Throws `GatewayError`. */
  start(context: GatewayContext, payment: PaymentRequest): Promise<StartedPayment>;
  /** Verifies signature and merchant of a notification. Throws `NoticeRefused`. */
  verify(context: GatewayContext, notice: RawNotice): Promise<GatewayNotice>;
  /** The reply to a notification: accepted, or to be sent again. */
  acknowledge(accepted: boolean): NoticeReply;
  query(context: GatewayContext, payment: PaymentRef): Promise<PaymentState>;
  /** Ends an unpaid payment at the gateway. `paid`: too late, query it. `open`: it cannot be ended and may be paid. */
  close(context: GatewayContext, payment: PaymentRef): Promise<'closed' | 'paid' | 'open'>;
  /** Sends a refund; a repeated `refundNo` never refunds twice unless `form.refunds` is `none`. */
  refund?(context: GatewayContext, payment: PaymentRef, refund: RefundRequest): Promise<RefundReport>;
  queryRefund?(
    context: GatewayContext,
    payment: PaymentRef,
    refund: RefundRequest & { gatewayRefundNo: string },
  ): Promise<RefundReport>;
  /** Sends a harmless authenticated request. Throws `GatewayError` with the reason of a failure. */
  test(context: GatewayContext): Promise<void>;
  /** Reads a statement file. Throws `StatementError`. */
  readStatement?(csv: string): { rows: StatementRow[]; unreadable: { line: number; problem: string }[] };
  /** Fetches the rows of a period; both ends inclusive, Unix seconds. */
  fetchStatement?(context: GatewayContext, period: { from: number; to: number }): Promise<StatementRow[]>;
}

/** Longest time to pay that a gateway can give; Stripe's is a day. */
const LONGEST_LIFE_S = 7 * 86_400;

/**
 * A started payment whose links a browser may be given, whatever the gateway answered: web pages as pages, and QR codes
 * without a scheme that runs in a page. Throws `GatewayError`.
 */
export function checkedStart(started: StartedPayment, now: number): StartedPayment {
  const { show, url, expiresAt = now } = started;
  const isPage = /^https?:$/.test(URL.parse(url)?.protocol ?? '');
  // Browsers skip control characters in front of a scheme and inside of it.
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url.replaceAll(/[\p{Cc}\s]/gu, ''))?.[1]?.toLowerCase() ?? '';
  if (show === 'form' && !isPage) throw new GatewayError('refused', 'the gateway’s link is not a web page');
  if (show === 'qr' && (url === '' || runningSchemes.has(scheme)))
    throw new GatewayError('refused', 'the gateway’s QR code is not a link');
  if (!Number.isSafeInteger(expiresAt) || expiresAt < now || expiresAt > now + LONGEST_LIFE_S)
    throw new GatewayError('refused', 'the gateway’s payment ends at a time that cannot be');
  return started;
}

const runningSchemes = new Set(['javascript', 'data', 'vbscript', 'file', 'blob', 'filesystem', 'about']);

/** A failed request. `refused`: the gateway did nothing. `unknown`: it may have acted, so query before a retry. */
export class GatewayError extends Error {
  readonly outcome: 'refused' | 'unknown';
  /** The gateway's error code; empty if none. */
  readonly code: string;

  constructor(outcome: GatewayError['outcome'], message: string, code = '') {
    super(message);
    this.outcome = outcome;
    this.code = code;
  }
}

/** A field that the configuration lacks or that cannot be used. `reason` is English, for the operator. */
export class GatewayFieldError extends Error {
  readonly field: string;
  readonly problem: 'missing' | 'form' | 'key' | 'choice';

  constructor(field: string, problem: GatewayFieldError['problem'], reason = '') {
    super(reason);
    this.field = field;
    this.problem = problem;
  }
}

/** A notification that is not believed. */
export class NoticeRefused extends Error {
  readonly check: PaymentCheck;

  constructor(check: PaymentCheck, reason: string) {
    super(reason);
    this.check = check;
  }
}

/** A statement file that cannot be read. */
export class StatementError extends Error {}
