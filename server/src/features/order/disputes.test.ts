import type { OrderDetail, PaymentGateway } from '@relay-hub/contract';
import { ledgerApi, orderApi } from '@relay-hub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startStripe, type StripeSimulator } from '#payment-simulator/stripe.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import {
  addGateway,
  balanceOf,
  DOLLAR,
  expectPaymentsBalance,
  openPayments,
  order,
  orderSeen,
} from '#testing/payments.ts';
import { addPerson, type TestPerson } from '#testing/people.ts';

let count = 0;

onEveryDatabase('a dispute', (make) => {
  const hub = hubForSuite(make);
  let stripe: StripeSimulator;
  let gateway: PaymentGateway;

  beforeAll(async () => {
    stripe = await startStripe();
    await openPayments(hub());
    gateway = await addGateway(hub(), 'stripe', stripe);
  });
  afterAll(async () => stripe?.close());

  /** An order of ten dollars that is paid. */
  const paid = async (person: TestPerson): Promise<OrderDetail> => {
    const { trade_no } = await order(person, gateway);
    await stripe.pay(trade_no);
    return orderSeen(hub(), trade_no);
  };
  const spend = async (person: TestPerson, credits: number) => {
    const body = { quota: -credits, remark: 'spent' };
    await hub().root.call(ledgerApi.correct, { params: { id: person.id }, body });
  };
  const refund = ({ id }: OrderDetail, more: object) =>
    hub().root.try(orderApi.refund, {
      params: { id },
      body: { reason: 'asked for', reference: `dispute-test-${++count}`, quota: DOLLAR, ...more },
    });
  const dollars = async (person: TestPerson) => (await balanceOf(hub(), person.id)).quota / DOLLAR;
  const booksAgree = () => expectPaymentsBalance(hub().server.deps.db);

  test('holds the credits that a refused refund returns', async () => {
    const person = await addPerson(hub());
    const bought = await paid(person);
    stripe.faults.refunds = 'processing';
    const { body } = await refund(bought, { quota: 10 * DOLLAR });
    delete stripe.faults.refunds;
    await stripe.dispute(bought.trade_no, 'needs_response');
    await stripe.endRefund((body as { data: OrderDetail }).data.refunds[0]!.refund_no, 'refused');
    expect(await dollars(person)).toBe(0);
    await stripe.dispute(bought.trade_no, 'lost');
    expect(await orderSeen(hub(), bought.trade_no)).toMatchObject({
      status: 'charged_back',
      disputes: [{ held_quota: 10 * DOLLAR, loss_quota: 0 }],
    });
    expect(await refund(bought, { by_hand: true, remark: 'x' })).toMatchObject({ body: { code: 'order.disputed' } });
    await booksAgree();
  });

  test('that is won takes credits and returns them', async () => {
    const person = await addPerson(hub());
    const bought = await paid(person);
    await spend(person, 4 * DOLLAR);
    await stripe.dispute(bought.trade_no, 'needs_response');
    await stripe.dispute(bought.trade_no, 'needs_response');
    expect(await dollars(person)).toBe(0);
    const seen = await orderSeen(hub(), bought.trade_no);
    expect(seen).toMatchObject({
      status: 'disputed',
      attention: 'disputed',
      disputes: [{ status: 'open', held_quota: 6 * DOLLAR, loss_quota: 4 * DOLLAR }],
    });
    expect(await refund(seen, {})).toMatchObject({ body: { code: 'order.disputed' } });
    await stripe.dispute(bought.trade_no, 'won');
    await stripe.dispute(bought.trade_no, 'won');
    expect(await dollars(person)).toBe(6);
    expect(await orderSeen(hub(), bought.trade_no)).toMatchObject({ status: 'success', attention: 'none' });
    await booksAgree();
  });

  test('that was reported before its payment was credited is pointed out on the order', async () => {
    const person = await addPerson(hub());
    const [early, other] = [await order(person, gateway), await order(person, gateway)];
    for (const { trade_no } of [early, other]) stripe.paySilently(trade_no);
    await stripe.dispute(early.trade_no, 'needs_response');
    await stripe.notify(other.trade_no);
    expect(await orderSeen(hub(), other.trade_no)).toMatchObject({ status: 'success', attention: 'none' });
    await stripe.notify(early.trade_no);
    const seen = await orderSeen(hub(), early.trade_no);
    expect(seen).toMatchObject({ status: 'success', attention: 'disputed' });
    expect(seen.events.find(({ kind }) => kind === 'notice_refused')!.checks).toEqual([
      { check: 'signature', ok: true },
      { check: 'order', ok: false },
    ]);
    await stripe.dispute(early.trade_no, 'won');
    expect(await orderSeen(hub(), early.trade_no)).toMatchObject({ status: 'success', attention: 'none' });
    expect(await dollars(person)).toBe(20);
  });

  test('in another currency counts as one of the whole payment', async () => {
    const person = await addPerson(hub());
    const bought = await paid(person);
    await stripe.event('charge.dispute.created', {
      ...stripe.disputeObject(bought.trade_no, 'needs_response'),
      amount: 9,
      currency: 'eur',
    });
    expect(await dollars(person)).toBe(0);
    await booksAgree();
  });

  test('that is lost keeps the credits', async () => {
    const person = await addPerson(hub());
    const bought = await paid(person);
    await stripe.dispute(bought.trade_no, 'lost');
    expect(await dollars(person)).toBe(0);
    expect(await orderSeen(hub(), bought.trade_no)).toMatchObject({
      status: 'charged_back',
      disputes: [{ status: 'lost', held_quota: 10 * DOLLAR }],
    });
    await booksAgree();
  });
});
