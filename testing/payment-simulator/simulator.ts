/** A payment as a simulated gateway keeps it. */
export interface SimulatedPayment {
  tradeNo: string;
  gatewayNo: string;
  /** Minor units of the currency that was requested. */
  minor: number;
  currency: string;
  state: 'open' | 'paid' | 'closed';
  notifyUrl: string;
  returnUrl: string;
  refunds: { refundNo: string; gatewayRefundNo: string; minor: number; state: 'success' | 'processing' | 'refused' }[];
}

/** The hub's reply to a notification. */
export interface Delivery {
  status: number;
  body: string;
}

/** Deviations of the next operation from the vendor's rules. */
export interface Faults {
  /** The next API requests answer with this HTTP status, or hang up. */
  api?: { times: number; status?: number; hangUp?: boolean };
  /** Refunds stay in progress until `endRefund`, or are refused. */
  refunds?: 'processing' | 'refused';
  /** Members of the replies that start a payment, instead of the right ones. */
  start?: Record<string, string | number>;
}

/**
 * A simulated payment gateway. It verifies the hub's signatures as the vendor does and signs its notifications by the
 * vendor's published rules. Its cashier is a page with a Pay and a Cancel button, for browser tests.
 */
export interface PaymentSimulator {
  url: string;
  /** A valid gateway configuration of the hub for this simulator, with keys. */
  config: Record<string, string>;
  payments: Map<string, SimulatedPayment>;
  faults: Faults;
  /** API requests in order: `POST /v3/pay/transactions/native`. */
  requests: string[];
  /** Marks a payment as paid and notifies the hub. `change` alters the notification's fields before it is signed. */
  pay(tradeNo: string, change?: Record<string, string | number>): Promise<Delivery>;
  /** Marks a payment as paid without a notification. */
  paySilently(tradeNo: string): void;
  /** Sends the notification of a payment again, or once more with another payment number. */
  notify(tradeNo: string, change?: Record<string, string | number>): Promise<Delivery>;
  /** The signed notification of a payment, for tests that alter or replay it. */
  notification(tradeNo: string, change?: Record<string, string | number>): { url: string; init: RequestInit };
  /** Ends a refund that is in progress, and notifies the hub where the vendor does. */
  endRefund(refundNo: string, state: 'success' | 'refused'): Promise<Delivery | undefined>;
  close(): Promise<void>;
}

/** Replaces members by dotted path: `amount.total`. */
export function setMembers(object: Record<string, unknown>, change: Record<string, string | number> = {}): void {
  for (const [path, value] of Object.entries(change)) {
    const names = path.split('.');
    const last = names.pop() ?? '';
    let inner = object;
    for (const name of names) inner = (inner[name] ??= {}) as Record<string, unknown>; // tests name members of objects
    inner[last] = value;
  }
}

/** The fields of a notification, with changes, as text. */
export const textFields = (
  fields: Readonly<Record<string, string>>,
  change: Readonly<Record<string, string | number>> = {},
): Record<string, string> => ({
  ...fields,
  ...Object.fromEntries(Object.entries(change).map(([name, value]) => [name, String(value)])),
});

/** An address with fields added to its query string. */
export function withQuery(address: string, fields: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
  return url.href;
}

/** A payment by its order number. Throws if there is none. */
export function paymentIn<Payment>(payments: ReadonlyMap<string, Payment>, tradeNo: string): Payment {
  const payment = payments.get(tradeNo);
  if (!payment) throw new Error(`the simulated gateway has no order ${tradeNo}`);
  return payment;
}
