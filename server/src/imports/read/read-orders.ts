import {
  LARGEST_MOVE,
  orderStatuses,
  type OrderStatus,
  orderCurrencies,
  type OrderCurrency,
  tradeNo,
} from '@relay-hub/contract';
import {
  creditsIn,
  decimalIn,
  isDeleted,
  lineIn,
  minorIn,
  type OldRow,
  OldValueError,
  textIn,
  timeIn,
  wholeIn,
} from '../old-row.ts';
import { isHubLine, type OldWorld, readRows } from './old-world.ts';
import { newApiGatewayOf, newApiGateways } from './read-gateways.ts';

/** A payment order of the old program, in our terms. */
export interface ArrivingOrder {
  oldId: number;
  /** Old ids. */
  user: number;
  gateway: number;
  trade_no: string;
  gateway_no: string;
  /** Whole USD. */
  amount: number;
  /** Cents of USD, like the discount. */
  fee_minor: number;
  discount_minor: number;
  order_minor: number;
  order_currency: OrderCurrency;
  /** Credits. */
  quota: number;
  status: OrderStatus;
  created_at: number;
  updated_at: number;
}

/**
 * Payment orders that have ended. One that waits for its payment comes at the last run, as closed: the old program can
 * no longer credit it then, and a late payment is credited here.
 */
export async function* readOrders(world: OldWorld, { final }: { final: boolean }): AsyncIterable<ArrivingOrder> {
  const { report } = world;
  const bought = await subscriptions(world);
  const name = (row: OldRow): string => `order ${lineIn(row, 'trade_no', 100) || lineIn(row, 'id', 30)}`;
  yield* readRows(world, {
    table: isHubLine(world) ? 'orders' : 'top_ups',
    kind: 'order',
    name,
    topic: 'order_unknown',
    read: (row) => {
      if (isDeleted(row)) return undefined;
      const isOpen = textIn(row, 'status') === 'pending';
      if (isOpen) report.remark(final ? 'order_closed' : 'order_open', name(row));
      if (isOpen && !final) return undefined;
      if (bought.has(textIn(row, 'trade_no'))) throw new OldValueError('it bought a subscription');
      return isHubLine(world) ? hubOrder(row) : topUp(row, world);
    },
  });
}

/** Purchases of subscriptions are among the top-ups of new-api, and gave no credits. */
async function subscriptions({ database }: OldWorld): Promise<Set<string>> {
  const found = new Set<string>();
  for await (const row of database.rows('subscription_orders')) found.add(textIn(row, 'trade_no'));
  return found;
}

function hubOrder(row: OldRow): ArrivingOrder {
  const text = textIn(row, 'order_currency');
  const order_currency = orderCurrencies.find((known) => known === text);
  if (!order_currency) throw new OldValueError(`its currency ${text} has no counterpart`);
  return {
    ...common(row),
    gateway: wholeIn(row, 'gateway_id'),
    gateway_no: lineIn(row, 'gateway_no', 255),
    amount: notBelowZero(creditsIn(row, 'amount')),
    fee_minor: minorIn(row, 'fee'),
    discount_minor: minorIn(row, 'discount'),
    order_minor: notBelowZero(minorIn(row, 'order_amount')),
    order_currency,
    quota: notBelowZero(creditsIn(row, 'quota')),
    created_at: timeIn(row, 'created_at'),
    updated_at: timeIn(row, 'updated_at') || timeIn(row, 'created_at'),
  };
}

/** At Stripe new-api credits the money; elsewhere the amount. */
function topUp(row: OldRow, { options }: OldWorld): ArrivingOrder {
  const gateway = newApiGatewayOf(row);
  if (!gateway)
    throw new OldValueError(`paid with ${textIn(row, 'payment_provider') || textIn(row, 'payment_method')}`);
  const unit = Number(options.get('QuotaPerUnit') ?? 500_000) || 500_000;
  const isStripe = gateway === 'stripe';
  const amount = notBelowZero(creditsIn(row, 'amount'));
  const quota = Math.round((isStripe ? notBelowZero(decimalIn(row, 'money')) : amount) * unit);
  if (quota > LARGEST_MOVE) throw new OldValueError(`${quota} credits are too many`);
  return {
    ...common(row),
    gateway: newApiGateways[gateway],
    gateway_no: '',
    amount,
    fee_minor: 0,
    discount_minor: 0,
    order_minor: notBelowZero(minorIn(row, 'money')),
    order_currency: isStripe ? 'USD' : 'CNY',
    quota,
    created_at: timeIn(row, 'create_time'),
    updated_at: timeIn(row, 'complete_time') || timeIn(row, 'create_time'),
  };
}

function common(row: OldRow): Pick<ArrivingOrder, 'oldId' | 'user' | 'trade_no' | 'status'> {
  const trade_no = textIn(row, 'trade_no');
  if (!tradeNo.safeParse(trade_no).success) throw new OldValueError('its number cannot be used here');
  return {
    oldId: wholeIn(row, 'id'),
    user: wholeIn(row, 'user_id'),
    trade_no,
    status: statusOf(textIn(row, 'status')),
  };
}

/** Only these are in use there; unpaid orders are closed. */
const statusOf = (text: string): OrderStatus =>
  orderStatuses.find((status) => status === text && (status === 'success' || status === 'failed')) ?? 'closed';

const notBelowZero = (number: number): number => Math.max(0, number);
