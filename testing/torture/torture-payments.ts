import { randomBytes } from 'node:crypto';
import { isPaid, role, userStatus } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { startAlipay } from '#payment-simulator/alipay.ts';
import type { PaymentSimulator, SimulatedPayment } from '#payment-simulator/simulator.ts';
import { ApiClient } from '#testing/hub.ts';
import { addGateway, DOLLAR } from '#testing/payments.ts';
import type { ServerProcess } from '#testing/process.ts';
import { addAccessToken } from './access-token.ts';
import { chance } from './torture-plan.ts';

export interface PaymentVerdict {
  orders: number;
  paid: number;
  credited: number;
  refunds: number;
  /** Payments without a credit, and refunds of the gateway that no row has. */
  lost: string[];
  /** Credits without a payment, other sums, and refunds that the gateway does not have. */
  wrong: string[];
}

const PAYERS = 4;
/** A gateway gives up repeating a notification long after this. */
const MOST_DELIVERIES = 60;
const PAUSE_MS = 200;

/**
 * Payers who order, pay, cancel and get refunds while nodes are killed. The simulated gateway repeats each notification
 * until a node acknowledges it, loses some of them, and sends some that are forged.
 */
export class TorturedPayments {
  readonly #chance: ReturnType<typeof chance>;
  readonly #simulator: PaymentSimulator;
  readonly #gateway: { uuid: string };
  readonly #db: Kysely<Tables>;
  readonly #urls: () => string[];
  readonly #rootToken: string;
  readonly #open = new Set<Promise<void>>();
  #isOver: () => boolean = () => false;

  private constructor(parts: {
    seed: number;
    simulator: PaymentSimulator;
    gateway: { uuid: string };
    db: Kysely<Tables>;
    urls: () => string[];
    rootToken: string;
  }) {
    this.#chance = chance(parts.seed + 1);
    this.#simulator = parts.simulator;
    this.#gateway = parts.gateway;
    this.#db = parts.db;
    this.#urls = parts.urls;
    this.#rootToken = parts.rootToken;
  }

  /** Adds the gateway. `urls`: nodes that can be called now. */
  static async open(seed: number, node: ServerProcess, db: Kysely<Tables>, urls: () => string[]) {
    const simulator = await startAlipay();
    const config = { ...simulator.config };
    const gateway = await addGateway(node, 'alipay', simulator, { config, notify_domain: node.url });
    const rootToken = await addAccessToken(db, 1);
    return new TorturedPayments({ seed, simulator, gateway, db, urls, rootToken });
  }

  /** Runs until `isOver`, and then until the last notification is delivered or given up. */
  async run(isOver: () => boolean): Promise<void> {
    this.#isOver = isOver;
    await Promise.all(Array.from({ length: PAYERS }, () => this.#payer()));
    await Promise.all(this.#open);
  }

  close = (): Promise<void> => this.#simulator.close();

  /** Number of payments that the gateway has taken. */
  taken = (): number => [...this.#simulator.payments.values()].filter(({ state }) => state === 'paid').length;

  async #payer(): Promise<void> {
    const { id } = await this.#db
      .insertInto('users')
      .values({
        username: `payer-${randomBytes(6).toString('hex')}`,
        password_hash: '',
        role: role.user,
        status: userStatus.enabled,
        group: 'default',
        created_time: 1,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const token = await addAccessToken(this.#db, id);
    while (!this.#isOver()) {
      const { pick, between } = this.#chance;
      const fault = pick<PaymentSimulator['faults']['api']>(
        [85, undefined],
        [10, { times: 1, status: 502 }],
        [5, { times: 1, hangUp: true }],
      );
      if (fault) this.#simulator.faults.api = fault;
      const known = new Set(this.#simulator.payments.keys());
      await this.#ask(token, 'POST', '/api/user/order', { uuid: this.#gateway.uuid, amount: between(1, 9) });
      // Also an order whose reply was lost can be paid.
      for (const [tradeNo, payment] of this.#simulator.payments)
        if (!known.has(tradeNo)) this.#later(this.#pay(token, payment));
      await sleep(between(20, 200));
    }
  }

  async #pay(token: string, payment: SimulatedPayment): Promise<void> {
    const { tradeNo } = payment;
    if (this.#taken.has(tradeNo)) return;
    this.#taken.add(tradeNo);
    const act = this.#chance.pick(
      [35, 'pay'],
      [15, 'silently'],
      [10, 'cancel'],
      [10, 'forge'],
      [10, 'abandon'],
      [20, 'refund'],
    );
    if (act === 'abandon') return;
    if (act === 'forge') return this.#deliverForged(tradeNo);
    const cancelling = act === 'cancel' ? this.#ask(token, 'POST', `/api/user/order/${tradeNo}/cancel`, {}) : undefined;
    // A closed order cannot be paid at the gateway.
    if (payment.state === 'open') this.#simulator.paySilently(tradeNo);
    await cancelling;
    if (payment.state !== 'paid' || act === 'silently') return;
    const copies = this.#chance.between(1, 4);
    await Promise.all(Array.from({ length: copies }, () => this.#deliver(tradeNo)));
    if (act === 'refund') await this.#refund(tradeNo);
  }
  readonly #taken = new Set<string>();

  async #deliver(tradeNo: string): Promise<void> {
    for (let i = 0; i < MOST_DELIVERIES; i++) {
      if ((await this.#send(this.#simulator.notification(tradeNo))) === 'success') return;
      await sleep(PAUSE_MS);
    }
  }

  async #deliverForged(tradeNo: string): Promise<void> {
    const less = this.#simulator.notification(tradeNo, { total_amount: '0.01', trade_status: 'TRADE_SUCCESS' });
    const unsigned = this.#simulator.notification(tradeNo, { trade_status: 'TRADE_SUCCESS' });
    if (unsigned.init.body instanceof URLSearchParams) unsigned.init.body.set('sign', 'AAAA');
    await this.#send(less);
    await this.#send(unsigned);
  }

  /** The reply of any node, as the nodes' ports change; empty without one. */
  async #send({ url, init }: { url: string; init: RequestInit }): Promise<string> {
    const { pathname } = new URL(url);
    const response = await fetch(this.#anyNode() + pathname, init).catch(() => undefined);
    return (await response?.text().catch(() => '')) ?? '';
  }

  /** Refunds a part or all, repeated with the same reference until a node has replied. */
  async #refund(tradeNo: string): Promise<void> {
    const order = await this.#db
      .selectFrom('orders')
      .where('trade_no', '=', tradeNo)
      .select(['id', 'quota'])
      .executeTakeFirst();
    if (!order) return;
    const quota = this.#chance.pick([1, order.quota], [2, Math.floor(order.quota / 3)]);
    const body = { quota, reason: 'torture', reference: `torture-${tradeNo}` };
    for (let i = 0; i < MOST_DELIVERIES; i++) {
      const status = await this.#ask(this.#rootToken, 'POST', `/api/payment/order/${order.id}/refund`, body);
      if (status > 0 && status < 500) return;
      await sleep(PAUSE_MS);
    }
  }

  async #ask(token: string, method: string, path: string, body: object): Promise<number> {
    const client = new ApiClient(this.#anyNode());
    const reply = await client.send(method, path, body, { authorization: `Bearer ${token}` }).catch(() => undefined);
    return reply?.status ?? 0;
  }

  #anyNode(): string {
    const urls = this.#urls();
    return urls[this.#chance.between(0, urls.length)] ?? urls[0] ?? '';
  }

  #later(work: Promise<void>): void {
    this.#open.add(work);
    void work.finally(() => this.#open.delete(work));
  }

  /** Compares what the gateway took and returned with orders and ledger. */
  async judge(): Promise<PaymentVerdict> {
    const orders = await this.#db.selectFrom('orders').selectAll().execute();
    const refunds = await this.#db.selectFrom('refunds').selectAll().execute();
    const entries = await this.#db.selectFrom('ledger').where('kind', '=', 'topup').selectAll().execute();
    const lost: string[] = [];
    const wrong: string[] = [];
    const payments = [...this.#simulator.payments.values()];
    for (const payment of payments.filter(({ state }) => state === 'paid')) {
      const order = orders.find(({ trade_no }) => trade_no === payment.tradeNo);
      if (!order || !isPaid(order.status)) lost.push(`payment ${payment.tradeNo}: ${order?.status ?? 'no order'}`);
    }
    for (const order of orders) {
      const payment = this.#simulator.payments.get(order.trade_no);
      const credited = entries.filter(({ reference }) => reference === `order:${order.trade_no}`);
      const expected = isPaid(order.status) ? 1 : 0;
      if (credited.length !== expected) wrong.push(`order ${order.trade_no}: ${credited.length} credits`);
      if (expected === 1 && payment?.state !== 'paid') wrong.push(`order ${order.trade_no}: credited, not paid`);
      for (const { user_id, credits } of credited)
        if (user_id !== order.user_id || credits !== order.amount * DOLLAR) wrong.push(`entry of ${order.trade_no}`);
      const ours = refunds.filter(({ order_id, status }) => order_id === order.id && status === 'success');
      const theirs = payment?.refunds.filter(({ state }) => state === 'success') ?? [];
      for (const { refundNo, minor } of theirs)
        if (!ours.some((refund) => refund.refund_no === refundNo && refund.minor === minor))
          lost.push(`refund ${refundNo} of the gateway`);
      for (const { refund_no, minor } of ours)
        if (!theirs.some((refund) => refund.refundNo === refund_no && refund.minor === minor))
          wrong.push(`refund ${refund_no} that the gateway does not have`);
      const sum = ours.reduce((total, { minor }) => total + minor, 0);
      if (sum !== order.refunded_minor || sum > order.order_minor) wrong.push(`refunds of ${order.trade_no}: ${sum}`);
    }
    return {
      orders: orders.length,
      paid: payments.filter(({ state }) => state === 'paid').length,
      credited: entries.filter(({ reference }) => reference.startsWith('order:')).length,
      refunds: refunds.filter(({ status }) => status === 'success').length,
      lost,
      wrong,
    };
  }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
