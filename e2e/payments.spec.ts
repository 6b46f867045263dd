import type { APIRequestContext, Page } from '@playwright/test';
import { minorText, type Order, type PaymentStart } from '@relay-hub/contract';
import { startAlipay } from '../testing/payment-simulator/alipay.ts';
import { startEpay } from '../testing/payment-simulator/epay.ts';
import type { PaymentSimulator } from '../testing/payment-simulator/simulator.ts';
import { isFineInEitherTheme } from './axe.ts';
import { callsOf, expect, type Hub, signIn, test as base } from './hub.ts';
import { expectToast, recordToasts, settled } from './page-helpers.ts';

/** Payments as the operator sees them: gateways, orders, refunds, reconciliation. */
const test = base.extend<object, { epay: PaymentSimulator; alipay: PaymentSimulator }>({
  epay: [
    async ({}, use) => {
      const simulator = await startEpay();
      await use(simulator);
      await simulator.close();
    },
    { scope: 'worker' },
  ],
  alipay: [
    async ({}, use) => {
      const simulator = await startAlipay();
      await use(simulator);
      await simulator.close();
    },
    { scope: 'worker' },
  ],
});

test.describe.configure({ mode: 'serial' });

const payer = { username: 'payer', password: 'a-password-of-payer' };
const [ordersPage, gatewaysPage] = ['/panel/payment', '/panel/payment?tab=gateways'];

test.beforeAll(async ({ hub }) => {
  const root = await callsOf(hub);
  await dataOf(root.put('/api/option/', { data: { key: 'ServerAddress', value: hub.url } }));
  await dataOf(root.put('/api/option/', { data: { key: 'RechargeDiscount', value: '{"100":0.9}' } }));
  await dataOf(root.post('/api/user/', { data: { ...payer, group: 'default' } }));
  await root.dispose();
});

test.beforeEach(async ({ context, hub }) => {
  await recordToasts(context);
  await signIn(context, hub);
});

async function dataOf<T>(reply: ReturnType<APIRequestContext['get']>): Promise<T> {
  const body = (await (await reply).json()) as { success: boolean; data: T };
  expect(body).toMatchObject({ success: true });
  return body.data;
}

/** Orders a top-up as the payer, and sends its form as a browser would. Returns the order's number. */
async function orderTopUp(hub: Hub, gatewayName: string, amount: number): Promise<string> {
  const calls = await callsOf(hub, payer);
  const gateways = await dataOf<{ uuid: string; name: string }[]>(calls.get('/api/user/payment'));
  const uuid = gateways.find(({ name }) => name === gatewayName)?.uuid;
  const { trade_no, type, data } = await dataOf<PaymentStart>(
    calls.post('/api/user/order', { data: { uuid, amount } }),
  );
  if (type === 1) {
    const body = new URLSearchParams(data.params);
    await fetch(data.url, { method: 'POST', body, redirect: 'manual' });
  }
  await calls.dispose();
  return trade_no;
}

/** No axe violations in either theme; the page is light afterwards. */
async function isFine(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' });
  await isFineInEitherTheme(page);
  await page.emulateMedia({ colorScheme: 'light' });
}

const drawerOf = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name });

test('an operator adds a gateway and tests it; what is missing is said at its field', async ({ page, epay }) => {
  await page.goto(ordersPage);
  await expect(page.getByText('No orders yet')).toBeVisible();
  await page.getByRole('button', { name: 'Add gateway' }).click();
  const drawer = drawerOf(page, 'Add gateway');
  await expect(page).toHaveURL(/tab=gateways.*edit=new/);
  await drawer.getByLabel('Type', { exact: true }).click();
  await page.getByRole('option', { name: 'Epay' }).click();
  await expect(drawer.getByLabel('Name', { exact: true })).toHaveValue('Epay');
  await drawer.getByRole('button', { name: 'Add and test' }).click();
  await expect(drawer.getByLabel('Epay address')).toHaveAttribute('aria-invalid', 'true');
  await expect(drawer.getByLabel('Epay address')).toBeFocused();

  await drawer.getByLabel('Epay address').fill(epay.config['pay_domain'] ?? '');
  await drawer.getByLabel('Merchant ID').fill(epay.config['partner_id'] ?? '');
  await drawer.getByLabel('Merchant key', { exact: true }).fill(epay.config['key'] ?? '');
  await drawer.getByLabel('Percentage').fill('2.5');
  await drawer.getByRole('combobox', { name: 'Currency' }).click();
  await page.getByRole('option', { name: /CNY/ }).click();
  await expect(
    drawer.getByText(/For \$100\.00, the user pays ¥673\.43: \(\$100\.00 − \$10\.00 discount/),
  ).toBeVisible();
  await drawer.getByRole('button', { name: 'Add and test' }).click();
  await expectToast(page, 'Added Epay');
  const stored = drawerOf(page, 'Edit gateway');
  await expect(stored.getByText(/The gateway accepted the keys/)).toBeVisible();
  await expect(stored.getByLabel('Merchant key', { exact: true })).toHaveValue(/•+ set/);
  await expect(stored.getByText(/\/api\/payment\/notify\/[0-9a-f]{32}/)).toBeVisible();
});

test('a wrong key is refused by the test, and the stored key survives other changes', async ({ page, epay }) => {
  await page.goto(gatewaysPage);
  await page.getByRole('row', { name: /Epay/ }).getByText('Epay').first().click();
  const drawer = drawerOf(page, 'Edit gateway');
  await drawer.getByLabel('Merchant ID').fill('999');
  await drawer.getByRole('button', { name: 'Save and test' }).click();
  await expect(drawer.getByText(/Test failed/)).toBeVisible();
  await drawer.getByLabel('Merchant ID').fill(epay.config['partner_id'] ?? '');
  await drawer.getByRole('button', { name: 'Save and test' }).click();
  await expect(drawer.getByText(/The gateway accepted the keys/)).toBeVisible();
  await drawer.getByLabel('Name', { exact: true }).fill('Epay one');
  await page.keyboard.press('Escape');
  await expect(page.getByText('1 change has not been saved.')).toBeVisible();
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect(drawer).toHaveCount(0);
});

test('gateways are ordered by keyboard and by dragging, switched off, deleted and restored', async ({
  page,
  alipay,
}) => {
  const body = { type: 'alipay', name: 'Alipay', icon: 'alipay', currency: 'CNY', config: alipay.config };
  await dataOf(page.request.post('/api/payment/', { data: { ...body, percent_fee: 0.03 } }));
  await page.goto(gatewaysPage);
  const names = page.getByRole('table', { name: 'Gateways' }).locator('tbody tr td:first-child');
  await expect(names).toHaveText([/Epay/, /Alipay/]);

  const handle = page.getByRole('button', { name: 'Move Alipay' });
  await handle.focus();
  await page.keyboard.press('Alt+ArrowUp');
  await expect(names).toHaveText([/Alipay/, /Epay/]);
  await expect(page.getByText('Alipay: position 1 of 2')).toBeAttached();
  await expect(handle).toBeFocused();
  await page.reload();
  await expect(names).toHaveText([/Alipay/, /Epay/]);

  const saved = page.waitForResponse((response) => response.url().endsWith('/api/payment/sort'));
  await handle.hover();
  await page.mouse.down();
  const box = await page.getByRole('button', { name: 'Move Epay' }).boundingBox();
  await page.mouse.move((box?.x ?? 0) + 4, (box?.y ?? 0) + 12, { steps: 4 });
  await expect(names).toHaveText([/Epay/, /Alipay/]);
  await page.mouse.up();
  await saved;
  await page.reload();
  await expect(names).toHaveText([/Epay/, /Alipay/]);

  await page.getByRole('switch', { name: 'Enable Alipay' }).click();
  await expectToast(page, 'Disabled Alipay');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expectToast(page, 'Enabled Alipay');

  await page.getByRole('button', { name: 'More actions for Alipay' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await expect(names).toHaveText([/Epay/]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(names).toHaveText([/Epay/, /Alipay/]);
});

test('a paid order is in the list with what happened, and a part of it is refunded', async ({ page, hub, alipay }) => {
  const tradeNo = await orderTopUp(hub, 'Alipay', 100);
  expect(await alipay.pay(tradeNo)).toMatchObject({ status: 200 });
  await alipay.notify(tradeNo);

  await page.goto(ordersPage);
  const row = page.getByRole('row', { name: new RegExp(payer.username) });
  await expect(row.getByText('¥676.71')).toBeVisible();
  await expect(page.getByText('1 paid · ¥676.71')).toBeVisible();
  await row.getByText(payer.username).click();
  const drawer = drawerOf(page, '¥676.71 from payer');
  await expect(page).toHaveURL(/id=\d+/);
  await expect(drawer.getByText('Notification accepted: TRADE_SUCCESS')).toBeVisible();
  await expect(drawer.getByText('$100.00 credited, balance $0.00 → $100.00')).toBeVisible();
  await expect(drawer.getByText('Notification repeated: already credited')).toBeVisible();
  const moved = drawer.getByRole('region', { name: 'Balance changes' });
  await expect(moved.getByRole('link', { name: /Top-up.*\+\$100\.00/ })).toBeVisible();
  await drawer.getByRole('button', { name: 'Show request' }).first().click();
  await expect(drawer.getByText(/out_trade_no=/).first()).toBeVisible();
  await isFine(page);

  await drawer.getByRole('button', { name: 'Refund…' }).click();
  await drawer.getByRole('button', { name: 'Refund', exact: true }).click();
  await expect(drawer.getByText('This field is required.')).toHaveCount(2);
  await drawer.getByLabel('Credit to take back').fill('140');
  await drawer.getByLabel('Reason').fill('Bought too much');
  await expect(drawer.getByText('At most $100.00 of this order can be refunded.')).toBeVisible();
  await drawer.getByLabel('Credit to take back').fill('40');
  await expect(drawer.getByText('$100.00 → $60.00', { exact: false })).toBeVisible();
  await isFine(page);
  await drawer.getByRole('button', { name: 'Refund ¥270.68' }).click();
  await expectToast(page, 'Refunded ¥270.68 to payer');
  await expect(drawer.getByText('¥270.68 of ¥676.71 refunded')).toBeVisible();
  await expect(drawer.getByText('Reason: Bought too much')).toBeVisible();
  await expect(moved.getByRole('link', { name: /Refund.*−\$40\.00/ })).toBeVisible();
  expect(alipay.payments.get(tradeNo)?.refunds).toMatchObject([{ minor: 27_068, state: 'success' }]);

  await drawer.getByRole('button', { name: 'Refund…' }).click();
  await drawer.getByText('Whole order').click();
  await drawer.getByLabel('Reason').fill('The rest');
  await drawer.getByRole('button', { name: `Refund ¥${minorText(67_671 - 27_068)}` }).click();
  await expect(row.getByText('Refunded', { exact: true })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page).not.toHaveURL(/id=/);
});

test('an unpaid order is asked about, then completed by hand', async ({ page, hub }) => {
  const tradeNo = await orderTopUp(hub, 'Epay', 20);
  await page.goto(`${ordersPage}?keyword=${tradeNo}`);
  await page
    .getByRole('row', { name: /Awaiting payment/ })
    .getByText(payer.username)
    .click();
  const drawer = drawerOf(page, /from payer/);
  await drawer.getByRole('button', { name: 'Ask Epay now' }).click();
  await expectToast(page, 'Epay: not paid');
  await drawer.getByRole('button', { name: 'Complete by hand' }).click();
  const question = drawerOf(page, /Credit \$20\.00 to payer/);
  await question.getByRole('button', { name: 'Credit $20.00' }).click();
  await expect(question.getByText('This field is required.')).toBeVisible();
  await question.getByLabel('Remark').fill('Seen in the dashboard');
  await question.getByRole('button', { name: 'Credit $20.00' }).click();
  await expectToast(page, 'Order completed');
  await expect(drawer.getByText('Completed by hand by root')).toBeVisible();
  await expect(page.getByRole('row', { name: /Paid completed by hand/ })).toBeVisible();
});

test('a second payment needs attention until it is marked as handled', async ({ page, hub, alipay }) => {
  const tradeNo = await orderTopUp(hub, 'Alipay', 10);
  await alipay.pay(tradeNo);
  await alipay.notify(tradeNo, { trade_no: '2026112322001499000000009999' });
  await page.goto(ordersPage);
  await page.getByRole('button', { name: '1 needs attention' }).click();
  await expect(page).toHaveURL(/attention=any/);
  await page
    .getByRole('row', { name: /paid twice/ })
    .getByText(payer.username)
    .click();
  const drawer = drawerOf(page, /from payer/);
  await expect(drawer.getByText('This order was paid twice.')).toBeVisible();
  await drawer.getByRole('button', { name: 'Mark as handled' }).click();
  const question = drawerOf(page, 'Mark as handled?');
  await question.getByLabel('Remark').fill('Refunded at Alipay');
  await question.getByRole('button', { name: 'Mark as handled' }).click();
  await expect(drawer.getByText('Marked as handled by root')).toBeVisible();
  await expect(drawer.getByText('This order was paid twice.')).toHaveCount(0);
});

test('a notification without an order is kept and shown', async ({ page }) => {
  const { data } = await dataOf<{ data: { name: string; notify_url: string }[] }>(page.request.get('/api/payment/'));
  const address = data.find(({ name }) => name === 'Alipay')?.notify_url ?? '';
  await page.request.post(address, { form: { out_trade_no: '1', sign: 'forged', sign_type: 'RSA2' } });
  await page.goto(ordersPage);
  await page.getByRole('button', { name: '1 unmatched notification' }).click();
  const dialog = drawerOf(page, 'Unmatched notifications');
  await expect(dialog.getByText('Notification refused')).toBeVisible();
  await dialog.getByRole('button', { name: 'Show request' }).click();
  await expect(dialog.getByText(/forged/)).toBeVisible();
});

test('a statement in GBK is compared, and a missing payment is found', async ({ page }) => {
  const { data: orders } = await dataOf<{ data: Order[] }>(page.request.get('/api/payment/order?size=100'));
  const paid = orders.filter(({ gateway_name, gateway_no }) => gateway_name === 'Alipay' && gateway_no !== '');
  const head = '支付宝交易号,商户订单号,业务类型,创建时间,完成时间,订单金额（元）';
  const rowOf = (order: Order, kind: string, minor: number) =>
    `${order.gateway_no}\t,${order.trade_no}\t,${kind},2026-11-23 22:00:00,2026-11-23 22:00:00,${minorText(minor)}`;
  const rows = paid.flatMap((order) => [
    rowOf(order, '交易', order.order_minor),
    ...(order.refunded_minor > 0 ? [rowOf(order, '退款', -order.refunded_minor)] : []),
  ]);
  const compare = async (lines: readonly string[]) => {
    await page.getByLabel('Choose CSV file').setInputFiles({
      name: 'statement.csv',
      mimeType: 'text/csv',
      buffer: gbk([head, ...lines].join('\r\n')),
    });
  };
  await page.goto('/panel/payment?tab=reconciliation');
  await page.getByRole('combobox', { name: 'Gateway' }).click();
  await page.getByRole('option', { name: /Alipay/ }).click();
  await page.getByLabel('To', { exact: true }).fill(new Date(Date.now() + 86_400_000).toISOString().slice(0, 10));
  await compare(rows);
  await expect(page.getByRole('heading', { name: 'Everything matches' })).toBeVisible();
  await isFine(page);

  const lost = paid.find(({ refunded_minor: refunded }) => refunded === 0);
  await compare(rows.filter((line) => !line.includes(lost?.trade_no ?? '-')));
  await expect(page.getByRole('heading', { name: '1 difference' })).toBeVisible();
  await expect(page.getByText('Not in the statement')).toBeVisible();
  await page.getByRole('link', { name: lost?.trade_no ?? '-' }).click();
  await expect(drawerOf(page, /from payer/)).toBeVisible();
  await expect(page.getByRole('heading', { name: '1 difference' })).toBeVisible();
});

test('on a phone orders are cards, and the order fills the screen', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(ordersPage);
  const list = page.getByRole('list', { name: 'Orders' });
  await expect(list.getByRole('listitem').first()).toBeInViewport();
  await settled(page);
  await isFine(page);
  await list.getByRole('listitem').first().click();
  await drawerOf(page, /from payer/).waitFor();
  await settled(page);
  await isFine(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});

/** Text as GBK, in which Alipay writes its statements. */
function gbk(text: string): Buffer {
  const decoder = new TextDecoder('gbk');
  const codes = new Map<string, number[]>();
  for (let first = 0x81; first < 0xff; first++)
    for (let second = 0x40; second < 0xff; second++)
      codes.set(decoder.decode(Uint8Array.from([first, second])), [first, second]);
  return Buffer.from(Array.from(text, (each) => codes.get(each) ?? [each.charCodeAt(0)]).flat());
}

test('a plan is added and given to a user; it is paused, resumed and ended for them', async ({ page }) => {
  await page.goto('/panel/plan_sale');
  await page.getByRole('button', { name: 'Add plan' }).first().click();
  const form = page.getByRole('dialog', { name: 'Add plan' });
  await form.getByRole('button', { name: /Add plan/ }).click();
  await expect(form.getByText('Enter a name in one language at least.')).toBeVisible();
  await form.getByLabel('English').first().fill('Pro');
  await form.getByLabel('Price of a period').fill('20');
  await form.getByRole('button', { name: 'Add limit' }).click();
  await form.getByLabel('Limit 1, Amount').fill('2');
  await form.getByRole('button', { name: /Add plan/ }).click();
  await expectToast(page, 'Saved Pro');
  const row = page.getByRole('row').filter({ hasText: 'Pro' });
  await expect(row).toContainText('$20 a month');

  await page.getByRole('button', { name: 'More actions for Pro' }).click();
  await page.getByRole('menuitem', { name: 'Subscribers' }).click();
  const drawer = page.getByRole('dialog', { name: 'Pro', exact: true });
  await expect(drawer.getByText('No subscribers yet')).toBeVisible();
  await drawer.getByRole('button', { name: 'Give to a user' }).click();
  const give = page.getByRole('dialog', { name: 'Give Pro' });
  await give.getByLabel('User', { exact: true }).first().fill(payer.username);
  await give.getByRole('radio', { name: new RegExp(payer.username) }).check();
  await give.getByRole('button', { name: `Give to ${payer.username}` }).click();
  const subscriber = drawer.getByRole('listitem').filter({ hasText: payer.username });
  await expect(subscriber).toContainText('Gift · period 1 · does not renew');
  await expect(subscriber).toContainText('$0 / $2every 5 hours');

  const choose = async (entry: string) => {
    await subscriber.getByRole('button', { name: `Actions for ${payer.username}` }).click();
    await page.getByRole('menuitem', { name: entry }).click();
  };
  await choose('Pause');
  await expect(subscriber).toContainText('Paused');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(subscriber).toContainText('Active');
  await choose('Refund and end');
  const question = page.getByRole('alertdialog', { name: `End the plan of ${payer.username}?` });
  await expect(question).toContainText('There is nothing to refund.');
  await question.getByRole('button', { name: 'End plan' }).click();
  await expect(drawer.getByText('No subscription is running.')).toBeVisible();

  await drawer.getByRole('button', { name: 'Edit plan' }).click();
  const edited = page.getByRole('dialog', { name: 'Edit plan' });
  await edited.getByLabel('Price of a period').fill('25');
  await expect(edited.getByText('saving makes version 2')).toBeVisible();
  await edited.getByRole('button', { name: /Save/ }).click();
  await expect(row).toContainText('$25 a month');
});
