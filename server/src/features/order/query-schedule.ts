/** Pauses in seconds between queries of an order or refund; the last one repeats until it is given up. */
const PAUSES_S = [15, 30, 30, 60, 60, 120, 300, 600, 1800, 3600, 7200, 14_400];
/** An order without a payment is not queried any more after this time. */
const GIVEN_UP_S = 26 * 3600;
/** The same for refunds, which banks may delay. */
const REFUND_GIVEN_UP_S = 7 * 86_400;
const FIRST_REFUND_QUERY_S = 90;

interface Queried {
  queries: number;
  created_at: number;
}

/** When to query an order next, with jitter so that nodes and orders spread out; 0 = not any more. */
export const nextQueryAt = (order: Queried, now: number): number => next(order, now, GIVEN_UP_S);

/** The same for a refund with an unknown result. */
export const nextRefundQueryAt = (refund: Queried, now: number): number => next(refund, now, REFUND_GIVEN_UP_S);

/** When to query a refund that is being sent: after the longest request to a gateway, so that both do not overlap. */
export const firstRefundQueryAt = (now: number): number => now + FIRST_REFUND_QUERY_S;

function next({ queries, created_at }: Queried, now: number, givenUp: number): number {
  if (now - created_at > givenUp) return 0;
  const pause = PAUSES_S[Math.min(queries, PAUSES_S.length - 1)] ?? 0;
  return now + Math.ceil(pause * (0.9 + Math.random() * 0.2));
}
