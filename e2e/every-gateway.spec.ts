import type { BrowserContext, Page } from '@playwright/test';
import { startAlipay } from '../testing/payment-simulator/alipay.ts';
import { startEpay } from '../testing/payment-simulator/epay.ts';
import type { PaymentSimulator } from '../testing/payment-simulator/simulator.ts';
import { startStripe } from '../testing/payment-simulator/stripe.ts';
import { startWxpay } from '../testing/payment-simulator/wxpay.ts';
import { callsOf, expect, type Hub, newHub, signIn, test as base } from './hub.ts';

/** One top-up through each kind of gateway: declined, cancelled, paid, paid twice, refunded. */

interface Kind {
  start: () => Promise<PaymentSimulator>;
  currency: 'CNY' | 'USD';
  /** What the user pays for $10. */
  sum: string;
  /** The field of a notification with the gateway's number of the payment. */
  number: string;
  /** Money that 40 % of the credit returns; undefined: only by hand. */
  refund?: { label: string; minor: number };
}

const kinds: Record<string, Kind> = {
  epay: { start: startEpay, currency: 'CNY', sum: '¥73.00', number: 'trade_no' },
  alipay: {
    start: startAlipay,
    currency: 'CNY',
    sum: '¥73.00',
    number: 'trade_no',
    refund: { label: '¥29.20', minor: 2920 },
  },
  wxpay: {
    start: startWxpay,
    currency: 'CNY',
    sum: '¥73.00',
    number: 'transaction_id',
    refund: { label: '¥29.20', minor: 2920 },
  },
  stripe: {
    start: startStripe,
    currency: 'USD',
    sum: '$10.00',
    number: 'payment_intent',
    refund: { label: '$4.00', minor: 400 },
  },
};

const test = base.extend<object, { hub: Hub }>({ hub: [newHub(), { scope: 'worker' }] });
test.describe.configure({ mode: 'parallel' });
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });

async function balanceOf(page: Page): Promise<number> {
  const reply = (await (await page.request.get('/api/user/self')).json()) as { data: { quota: number } };
  return reply.data.quota;
}

/** Adds the gateway, and a user who can pay with it. */
async function prepare(
  hub: Hub,
  type: string,
  simulator: PaymentSimulator,
): Promise<{ username: string; password: string }> {
  const root = await callsOf(hub);
  const data = { type, name: `Gate ${type}`, icon: type, currency: kinds[type]?.currency, config: simulator.config };
  for (const each of await gatewaysOf(root)) await root.delete(`/api/payment/${each.id}`);
  await root.put('/api/option/', { data: { key: 'ServerAddress', value: hub.url } });
  const made = (await (await root.post('/api/payment/', { data })).json()) as { success: boolean; message: string };
  expect(made.success, made.message).toBe(true);
  const payer = { username: `payer-${type}`, password: 'a-password-of-a-payer' };
  expect((await root.post('/api/user/', { data: { ...payer, group: 'default' } })).ok()).toBe(true);
  await root.dispose();
  return payer;
}

async function gatewaysOf(root: Awaited<ReturnType<typeof callsOf>>): Promise<{ id: number }[]> {
  const reply = (await (await root.get('/api/payment/?size=100')).json()) as { data: { data: { id: number }[] } };
  return reply.data.data;
}

/** The gateway's page: the tab that opened, or the page behind the QR code. */
async function cashierOf(
  page: Page,
  context: BrowserContext,
  simulator: PaymentSimulator,
  press: () => Promise<void>,
): Promise<Page> {
  let opened: Page | undefined;
  context.once('page', (tab) => (opened = tab));
  await press();
  await expect(page).toHaveURL(/order=\d+/);
  const tradeNo = new URL(page.url()).searchParams.get('order') ?? '';
  const reply = (await (await page.request.get(`/api/user/order/${tradeNo}`)).json()) as {
    data: { start: { type: number; data: { url: string } } };
  };
  const { type, data } = reply.data.start;
  if (type === 1) {
    await expect.poll(() => opened !== undefined, 'a tab opens').toBe(true);
    return opened ?? page;
  }
  await expect(page.getByRole('img', { name: /^QR code for / })).toBeVisible();
  const cashier = await context.newPage();
  // WeChat's own scheme stands for a page that only its app opens.
  const code = /[?&]pr=([^&]+)/.exec(data.url)?.[1];
  await cashier.goto(data.url.startsWith('weixin:') ? `${simulator.url}/pay?pr=${code}` : data.url);
  return cashier;
}

/** Errors that pages of the console log, which include violations of their Content-Security-Policy. */
function errorsIn(context: BrowserContext, simulator: PaymentSimulator): string[] {
  const errors: string[] = [];
  context.on('console', (message) => {
    const isOfGateway = message.location().url.startsWith(simulator.url);
    if (message.type() === 'error' && !isOfGateway) errors.push(message.text());
  });
  context.on('weberror', (error) => {
    // The script of `signIn` also runs in the blank page of a new tab, which has no storage.
    if (error.page()?.url() !== 'about:blank') errors.push(String(error.error()));
  });
  return errors;
}

for (const [type, { start, sum, number, refund }] of Object.entries(kinds)) {
  test(`${type}: declined, cancelled, paid once, refunded`, async ({ browser, context, hub }) => {
    const simulator = await start();
    const payer = await prepare(hub, type, simulator);
    await signIn(context, hub, payer);
    const errors = errorsIn(context, simulator);
    const page = await context.newPage();
    await page.goto('/panel/topup');
    await page.getByRole('radio', { name: /^\$10\b/ }).check();
    let cashier = await cashierOf(page, context, simulator, () =>
      page.getByRole('button', { name: `Pay ${sum} with Gate ${type}` }).click(),
    );
    const tradeNo = new URL(page.url()).searchParams.get('order') ?? '';

    await test.step('a declined payment leaves the order open', async () => {
      await cashier.getByRole('button', { name: 'Decline' }).click();
      await expect(cashier.getByText(/declined/)).toBeVisible();
      await expect(dialog(page, `Pay with Gate ${type}`)).toBeVisible();
      expect(await balanceOf(page)).toBe(0);
      await cashier.goBack();
    });

    await test.step('who cancels at the gateway can pay on', async () => {
      const address = cashier.url();
      await cashier.getByRole('button', { name: 'Cancel payment' }).click();
      if (type === 'stripe' || type === 'epay') {
        await cashier.waitForURL(type === 'stripe' ? /order=\d+&cancelled=1/ : /order=\d+/);
        const waiting = dialog(cashier, `Pay with Gate ${type}`);
        if (type === 'stripe') await expect(waiting.getByText(/without paying/)).toBeVisible();
        const opening = context.waitForEvent('page');
        await waiting.getByRole('button', { name: 'Open payment page' }).click();
        cashier = await opening;
      } else {
        // The app of a QR code has no way back: the order is resumed in the list.
        await page.keyboard.press('Escape');
        await page.getByRole('link', { name: `Resume order ${tradeNo}` }).click();
        await expect(page.getByRole('img', { name: /^QR code for / })).toBeVisible();
        await cashier.goto(address);
      }
    });

    await test.step('the payment is shown and credited', async () => {
      await cashier.getByRole('button', { name: 'Pay', exact: true }).click();
      await expect(dialog(page, 'Payment received')).toBeVisible();
      expect(await balanceOf(page)).toBe(5_000_000);
    });

    await test.step('a repeated notification and a second payment credit nothing', async () => {
      await simulator.notify(tradeNo);
      await simulator.notify(tradeNo, { [number]: type === 'stripe' ? 'pi_second' : '99999999999999999999' });
      expect(await balanceOf(page)).toBe(5_000_000);
    });

    const operator = await browser.newContext({ baseURL: hub.url, locale: 'en-US' });
    const operatorErrors = errorsIn(operator, simulator);
    await signIn(operator, hub);
    const payments = await operator.newPage();
    await payments.goto('/panel/payment');
    await payments
      .getByRole('row', { name: new RegExp(payer.username) })
      .getByText(payer.username)
      .click();
    const drawer = payments.getByRole('dialog', { name: `${sum} from ${payer.username}` });
    await test.step('the operator sees both payments', async () => {
      await expect(drawer.getByText('$10.00 credited, balance $0.00 → $10.00')).toBeVisible();
      await expect(drawer.getByText(/second payment/i).first()).toBeVisible();
    });

    await test.step('a part is refunded', async () => {
      await drawer.getByRole('button', { name: 'Refund…' }).click();
      if (refund === undefined) {
        await expect(drawer.getByRole('checkbox', { name: /by hand/i })).toBeChecked();
        await drawer.getByText('Part', { exact: true }).click();
        await drawer.getByLabel('Remark').fill('Bank transfer 77');
      }
      await drawer.getByLabel('Credit to take back').fill('4');
      await drawer.getByLabel('Reason').fill('Bought too much');
      await drawer.getByRole('button', { name: `Refund ${refund?.label ?? '¥29.20'}` }).click();
      await expect(drawer.getByText(`${refund?.label ?? '¥29.20'} of ${sum} refunded`)).toBeVisible();
      expect(await balanceOf(page)).toBe(3_000_000);
      const sent = simulator.payments.get(tradeNo)?.refunds.map(({ minor }) => minor);
      expect(sent).toEqual(refund ? [refund.minor] : []);
    });

    await test.step('the user sees the refund', async () => {
      await page.goto('/panel/topup');
      await expect(
        page
          .getByRole('row', { name: new RegExp(tradeNo) })
          .getByText(`Refunded ${refund?.label ?? '¥29.20'} of ${sum}`),
      ).toBeVisible();
      await expect(page.getByRole('region', { name: 'Balance' }).getByText('$6.00')).toBeVisible();
    });

    await test.step('the receipt lists the refund', async () => {
      await payments.goto(`/panel/topup/receipt?id=${new URL(payments.url()).searchParams.get('id')}`);
      const sheet = payments.getByRole('article', { name: 'Receipt' });
      await expect(sheet.getByText('Paid, partly refunded')).toBeVisible();
    });
    expect([...errors, ...operatorErrors]).toEqual([]);
    await operator.close();
    await simulator.close();
  });
}
