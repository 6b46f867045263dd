import type { GatewayKind, InputOf, OrderDetail, PaymentGateway, PaymentStart } from '@relay-hub/contract';
import { optionApi, orderApi, ownOrderApi, paymentApi } from '@relay-hub/contract';
import { expect } from 'vitest';
import type { Db } from '#db/tables.ts';
import { everything, sqlChecks } from '#features/books/book-checks.ts';
import type { PaymentSimulator } from '#payment-simulator/simulator.ts';
import type { TestHub } from './hub.ts';
import type { TestPerson } from './people.ts';

/** Credits of one dollar. */
export const DOLLAR = 500_000;

/** Lets gateways reach the hub, and pay inviters a dollar. */
export async function openPayments(hub: TestHub, more: Record<string, string> = {}): Promise<void> {
  await hub.root.call(optionApi.setMany, {
    body: { values: { ServerAddress: hub.url, PaymentUSDRate: '7.3', ...more } },
  });
}

/** Adds a gateway that is connected to a simulator. */
export async function addGateway(
  hub: Pick<TestHub, 'root'>,
  type: GatewayKind,
  simulator: PaymentSimulator,
  more: Partial<InputOf<typeof paymentApi.create>['body']> = {},
): Promise<PaymentGateway> {
  const currency = type === 'stripe' ? 'USD' : 'CNY';
  const body = { type, name: `test ${type}`, icon: type, currency, config: simulator.config, ...more } as const;
  return hub.root.call(paymentApi.create, { body });
}

/** Orders a top-up of whole dollars. */
export const order = (person: TestPerson, gateway: Pick<PaymentGateway, 'uuid'>, amount = 10): Promise<PaymentStart> =>
  person.client.call(ownOrderApi.create, { body: { uuid: gateway.uuid, amount } });

/** Sends the form of an order as a browser would, where the gateway learns of the order only from it. */
export async function openPayment({ type, data }: PaymentStart): Promise<void> {
  if (type === 2) return;
  const { url, method = 'GET', params = {} } = data;
  const form = new URLSearchParams(params);
  const query = method === 'GET' && form.size > 0 ? `?${form.toString()}` : '';
  await fetch(url + query, {
    method,
    redirect: 'manual',
    headers: { accept: 'text/html' },
    ...(method === 'POST' && { body: form }),
  });
}

/** An order as the operator sees it. */
export async function orderSeen(hub: TestHub, tradeNo: string): Promise<OrderDetail> {
  const { data } = await hub.root.call(orderApi.list, { query: { trade_no: tradeNo } });
  return hub.root.call(orderApi.get, { params: { id: data[0]!.id } });
}

/** Balance of an account, and the sum of its entries about payments. */
export async function balanceOf(hub: TestHub, userId: number): Promise<{ quota: number; entries: number }> {
  const { db } = hub.server.deps;
  const { quota, held } = await db
    .selectFrom('users')
    .where('id', '=', userId)
    .select(['quota', 'held'])
    .executeTakeFirstOrThrow();
  const rows = await db.selectFrom('ledger').where('user_id', '=', userId).select('credits').execute();
  return { quota: quota + held, entries: rows.reduce((sum, { credits }) => sum + credits, 0) };
}

/** Balances, ledger and orders agree. */
export async function expectPaymentsBalance(db: Db): Promise<void> {
  for (const check of ['balances', 'entry_chain', 'orders'] as const)
    expect(await sqlChecks[check]({ db, cleanedBefore: 0, span: everything })).toMatchObject({ differing: 0 });
}
