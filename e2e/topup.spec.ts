import type { Browser, BrowserContext, Page } from '@playwright/test';
import { startAlipay } from '../testing/payment-simulator/alipay.ts';
import { startEpay } from '../testing/payment-simulator/epay.ts';
import type { PaymentSimulator } from '../testing/payment-simulator/simulator.ts';
import { isFineInEitherTheme } from './axe.ts';
import { callsOf, expect, type Hub, newHub, signIn, test as base } from './hub.ts';
import { expectToast, recordToasts } from './page-helpers.ts';
import { phone } from './parts.ts';

/** Top-ups by payment, from the amount to the receipt, with simulated gateways. */

interface Gateways {
  /** A cashier that takes the order as a form, in a new tab. */
  epay: PaymentSimulator;
  /** QR codes. */
  alipay: PaymentSimulator;
  /** UUIDs by name. */
  ids: Record<string, number>;
}

/** A separate hub: its gateways change the top-up page of all users. */
const test = base.extend<object, { hub: Hub; gateways: Gateways }>({
  hub: [newHub(), { scope: 'worker' }],
  gateways: [
    async ({ hub }, use) => {
      const [epay, alipay] = [await startEpay(), await startAlipay()];
      const root = await callsOf(hub);
      const add = async (data: object) => {
        const made = await root.post('/api/payment/', { data: { notify_domain: hub.url, currency: 'CNY', ...data } });
        const reply = (await made.json()) as { success: boolean; message: string; data: { id: number } };
        expect(reply, reply.message).toMatchObject({ success: true });
        return reply.data.id;
      };
      const ids = {
        cashier: await add({ type: 'epay', name: 'Cashier', icon: 'cash', config: epay.config, sort: 3 }),
        alipay: await add({
          type: 'alipay',
          name: 'Alipay',
          icon: 'alipay',
          percent_fee: 0.03,
          config: alipay.config,
          sort: 2,
        }),
      };
      for (const [key, value] of Object.entries({ PaymentMinAmount: '5', RechargeDiscount: '{"10":1,"100":0.9}' }))
        expect((await root.put('/api/option/', { data: { key, value } })).ok()).toBe(true);
      await root.dispose();
      await use({ epay, alipay, ids });
      await Promise.all([epay.close(), alipay.close()]);
    },
    { scope: 'worker', auto: true },
  ],
});

let users = 0;

/** A page of a new user without balance. */
async function newPayer(context: BrowserContext, hub: Hub): Promise<Page> {
  const credentials = { username: `payer-${++users}`, password: 'a-password-of-a-payer' };
  const root = await callsOf(hub);
  expect((await root.post('/api/user/', { data: { ...credentials, group: 'default' } })).ok()).toBe(true);
  await root.dispose();
  await recordToasts(context);
  await signIn(context, hub, credentials);
  return context.newPage();
}

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });
const payButton = (page: Page) => page.getByRole('button', { name: /^Pay / });
const orderIn = (page: Page): string => new URL(page.url()).searchParams.get('order') ?? '';

async function balanceOf(page: Page): Promise<number> {
  const reply = (await (await page.request.get('/api/user/self')).json()) as { data: { quota: number } };
  return reply.data.quota;
}

async function payWith(page: Page, gateway: 'Alipay' | 'Cashier', amount: string): Promise<void> {
  await page.goto('/panel/topup');
  await page.getByRole('radio', { name: new RegExp(`^\\${amount}\\b`) }).check();
  await page.getByRole('radio', { name: gateway }).check();
  await payButton(page).click();
}

test('a page of the gateway opens in a tab, and both tabs show the payment', async ({ context, hub, gateways }) => {
  const page = await newPayer(context, hub);
  await page.goto('/panel/topup');

  await test.step('the price follows the choice', async () => {
    await page.getByRole('radio', { name: /^\$100/ }).check();
    await page.getByRole('radio', { name: 'Alipay' }).check();
    const price = page.getByRole('region', { name: 'Price' });
    for (const text of ['Discount 10%', '−$10.00', 'Alipay fee 3%', '+$2.70', '$92.70', '× 7.3'])
      await expect(price.getByText(text, { exact: true })).toBeVisible();
    await expect(payButton(page)).toHaveText('Pay ¥676.71 with Alipay');
    await page.getByRole('radio', { name: 'Cashier' }).check();
    await expect(payButton(page)).toHaveText('Pay ¥657.00 with Cashier');
  });

  const opening = context.waitForEvent('page');
  await payButton(page).click();
  const cashier = await opening;
  await test.step('the page behind waits', async () => {
    await expect(cashier.getByRole('heading', { name: '657.00 CNY' })).toBeVisible();
    expect(await cashier.evaluate(() => globalThis.opener === null)).toBe(true);
    const waiting = dialog(page, 'Pay with Cashier');
    await expect(waiting.getByText('¥657.00')).toBeVisible();
    await expect(waiting.getByText('$100.00', { exact: true })).toBeVisible();
    await expect(waiting.getByRole('button', { name: 'Open payment page' })).toBeVisible();
  });

  await cashier.getByRole('button', { name: 'Pay', exact: true }).click();
  await test.step('both tabs show it, without a click', async () => {
    await expect(dialog(cashier, 'Payment received')).toBeVisible();
    expect(orderIn(cashier)).toBe(orderIn(page));
    const paid = dialog(page, 'Payment received');
    await expect(paid.getByText('$100.00 was added to your balance.').first()).toBeVisible();
    await expect(paid.getByText('¥657.00 with Cashier')).toBeVisible();
    await expect(paid.getByRole('button', { name: 'Done' })).toBeFocused();
    expect(await balanceOf(page)).toBe(50_000_000);
    await paid.getByRole('button', { name: 'Done' }).click();
    await expect(page).not.toHaveURL(/order=/);
    await expect(page.getByRole('region', { name: 'Balance' }).getByText('$100.00')).toBeVisible();
    await expect(page.getByRole('row', { name: /Cashier.*Paid.*¥657\.00/ })).toBeVisible();
  });
  expect(gateways.epay.payments.get(orderIn(cashier))?.state).toBe('paid');

  await test.step('the receipt is printed without the console around it', async () => {
    await page.getByRole('link', { name: /^Receipt of order/ }).click();
    const sheet = page.getByRole('article', { name: 'Receipt' });
    await expect(sheet.getByText(/^No\. /)).toBeVisible();
    await expect(sheet.getByText('Paid in full')).toBeVisible();
    await expect(sheet.getByRole('row', { name: /Volume discount.*10% of \$100\.00.*−\$10\.00/ })).toBeVisible();
    await expect(sheet.getByRole('row', { name: /Amount paid.*¥657\.00/ })).toBeVisible();
    await isFineInEitherTheme(page);
    // In the dark theme.
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await expect(page.getByRole('navigation', { name: 'Main menu' })).toBeHidden();
    await expect(page.getByRole('button', { name: 'Print' })).toBeHidden();
    await expect(sheet).toHaveCSS('color', 'rgb(0, 0, 0)');
    await expect(sheet).toHaveCSS('background-color', 'rgb(255, 255, 255)');
  });
});

test('a QR code: checked, left, resumed, paid', async ({ context, hub, gateways: { alipay } }) => {
  const page = await newPayer(context, hub);
  await payWith(page, 'Alipay', '$10');
  const waiting = dialog(page, 'Pay with Alipay');
  await test.step('the code, the time left and the balance after it', async () => {
    await expect(waiting.getByRole('img', { name: 'QR code for Alipay' })).toBeVisible();
    await expect(waiting.getByRole('progressbar', { name: 'Time left to pay' })).toHaveAttribute(
      'aria-valuetext',
      /^\d+:\d\d left$/,
    );
    await expect(waiting.getByText('$10.00', { exact: true })).toBeVisible();
    await expect.poll(() => context.pages().length, 'open pages').toBe(1);
  });
  const order = orderIn(page);

  await test.step('checking finds no payment', async () => {
    await waiting.getByRole('button', { name: 'Check now' }).click();
    await expect(waiting.getByText(/^Checked at .*: no payment yet\.$/)).toBeVisible();
  });
  await test.step('it survives reload and Back', async () => {
    await page.reload();
    await expect(waiting.getByText(order)).toBeVisible();
    await waiting.getByRole('button', { name: 'Close' }).click();
    await expect(waiting).toBeHidden();
    await page.goBack();
    await expect(waiting).toBeVisible();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: `Resume order ${order}` }).click();
    await expect(waiting.getByText(order)).toBeVisible();
  });
  await test.step('a payment without a notification is found by the next check', async () => {
    alipay.paySilently(order);
    // The gateway is asked every few seconds at most, also by an earlier page.
    await expect(async () => {
      await waiting.getByRole('button', { name: 'Check now' }).click({ timeout: 1000 });
      await expect(dialog(page, 'Payment received')).toBeVisible({ timeout: 7000 });
    }).toPass();
    expect(await balanceOf(page)).toBe(5_000_000);
  });
});

test('a payment is announced while the order is closed, and the list follows it', async ({
  context,
  hub,
  gateways: { alipay },
}) => {
  const page = await newPayer(context, hub);
  await payWith(page, 'Alipay', '$10');
  await dialog(page, 'Pay with Alipay').getByText('Waiting for Alipay').waitFor();
  const order = orderIn(page);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('row', { name: /Waiting, 15 min left/ })).toBeVisible();
  await alipay.pay(order);
  await expectToast(page, '$10.00 was added to your balance.');
  await expect(page.getByRole('row', { name: /Alipay.*Paid/ })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Balance' }).getByText('$10.00')).toBeVisible();
});

test('an order is cancelled in its dialog or in the list', async ({ context, hub }) => {
  const page = await newPayer(context, hub);
  await payWith(page, 'Alipay', '$10');
  await dialog(page, 'Pay with Alipay').getByRole('button', { name: 'Cancel payment' }).click();
  const cancelled = dialog(page, 'Payment cancelled');
  await expect(cancelled.getByText('Nothing was charged.', { exact: false })).toBeVisible();
  await cancelled.getByRole('button', { name: 'New order' }).click();
  await expect(page.getByRole('row', { name: /Cancelled/ })).toHaveCount(1);
  await payButton(page).click();
  await dialog(page, 'Pay with Alipay').getByText('Waiting for Alipay').waitFor();
  const order = orderIn(page);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: `Cancel order ${order}` }).click();
  await expect(page.getByRole('row', { name: /Cancelled/ })).toHaveCount(2);
  await page.goto(`/panel/topup?order=${order}&cancelled=1`);
  await expect(dialog(page, 'Payment cancelled')).toBeVisible();
});

test('who leaves the page of the gateway can pay on', async ({ context, hub }) => {
  const page = await newPayer(context, hub);
  const opening = context.waitForEvent('page');
  await payWith(page, 'Cashier', '$10');
  const cashier = await opening;
  await cashier.getByRole('button', { name: 'Cancel payment' }).click();
  await cashier.waitForURL(/\/panel\/topup\?order=/);
  const waiting = dialog(cashier, 'Pay with Cashier');
  await expect(waiting).toBeVisible();
  await cashier.goto(`${cashier.url()}&cancelled=1`);
  await expect(waiting.getByText('You left the page of Cashier without paying.', { exact: false })).toBeVisible();
  const again = context.waitForEvent('page');
  await waiting.getByRole('button', { name: 'Open payment page' }).click();
  await (await again).getByRole('button', { name: 'Pay', exact: true }).click();
  await expect(dialog(page, 'Payment received')).toBeVisible();
  await expect(dialog(cashier, 'Payment received')).toBeVisible();
});

test('where pop-ups are blocked, the page opens in the same tab', async ({ context, hub }) => {
  const page = await newPayer(context, hub);
  await page.addInitScript(() => Reflect.set(globalThis, 'open', () => null));
  await payWith(page, 'Cashier', '$10');
  await dialog(page, 'Pay with Cashier').getByRole('button', { name: 'Open payment page' }).click();
  await page.getByRole('button', { name: 'Pay', exact: true }).click();
  await expect(dialog(page, 'Payment received')).toBeVisible();
  expect(context.pages()).toHaveLength(1);
});

test('refusals are shown where they belong', async ({ context, hub, gateways: { alipay, ids } }) => {
  const page = await newPayer(context, hub);
  await page.goto('/panel/topup');
  const amount = page.getByRole('textbox', { name: 'Another amount' });

  await test.step('a wrong amount at its field', async () => {
    await amount.fill('2.5');
    await payButton(page).click();
    await expect(amount).toBeFocused();
    await expect(amount).toHaveAttribute('aria-invalid', 'true');
    await expect(amount).toHaveAccessibleDescription('Enter whole dollars, from $5 to $1,000,000.');
    await amount.fill('7');
    await expect(amount).not.toHaveAttribute('aria-invalid');
  });
  await test.step('a failure of the gateway with a retry', async () => {
    await page.getByRole('radio', { name: 'Alipay' }).check();
    alipay.faults.api = { times: 1, status: 500 };
    await payButton(page).click();
    const failure = page.getByRole('alert').filter({ hasText: 'gateway' });
    await failure.getByRole('button', { name: 'Retry' }).click();
    await expect(dialog(page, 'Pay with Alipay').getByRole('img')).toBeVisible();
    await page.keyboard.press('Escape');
  });
  await test.step('a gateway that was switched off at the choice', async () => {
    const root = await callsOf(hub);
    await root.put('/api/payment/', { data: { id: ids['alipay'], enable: false } });
    await payButton(page).click();
    await expect(page.getByText('This payment method is not available')).toBeVisible();
    await expect(page.getByRole('radio', { name: 'Alipay' })).toHaveCount(0);
    await root.put('/api/payment/', { data: { id: ids['alipay'], enable: true } });
    await root.dispose();
  });
});

test('the form works with the keyboard, and axe finds nothing', async ({ context, hub }) => {
  const page = await newPayer(context, hub);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto('/panel/topup');
  await page.getByRole('radio', { name: /^\$10\b/ }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('radio', { name: /^\$100/ })).toBeChecked();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('textbox', { name: 'Another amount' })).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('radio', { name: 'Alipay' })).toBeChecked();
  await isFineInEitherTheme(page);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.keyboard.press('Tab');
  await expect(payButton(page)).toBeFocused();
  await page.keyboard.press('Enter');
  const waiting = dialog(page, 'Pay with Alipay');
  await expect(waiting.getByRole('button', { name: 'Check now' })).toBeFocused();
  await isFineInEitherTheme(page);
  await page.keyboard.press('Escape');
  await expect(payButton(page)).toBeFocused();
});

test('on a phone the button comes before the QR code', async ({ context, hub }) => {
  const page = await newPayer(context, hub);
  await page.setViewportSize(phone);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto('/panel/topup');
  await expect(payButton(page)).toBeInViewport();
  await page.getByRole('radio', { name: 'Alipay' }).check();
  await payButton(page).click();
  const waiting = dialog(page, 'Pay with Alipay');
  const [button, code] = [
    await waiting.getByRole('button', { name: 'Open Alipay' }).boundingBox(),
    await waiting.getByRole('img').boundingBox(),
  ];
  expect(button?.y).toBeLessThan(code?.y ?? 0);
  await isFineInEitherTheme(page);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('link', { name: 'Resume' }).first()).toBeVisible();
});

test('a new account is led from its dashboard to the payment', async ({ context, hub }) => {
  const page = await newPayer(context, hub);
  await page.goto('/panel/dashboard');
  await expect(page.getByText('Your balance is $0.00.', { exact: false })).toHaveCount(1);
  await expect(page.getByRole('heading', { name: 'Get started in three steps' })).toBeVisible();
  await expect(page.getByText('From $5, with Cashier or Alipay.')).toBeVisible();
  await page.getByRole('link', { name: 'Tokens', exact: true }).click();
  await page.getByRole('link', { name: 'Top up', exact: true }).click();
  await expect(page).toHaveURL(/\/panel\/topup$/);
});

test('a plan is bought from the balance or with a payment, shows its windows, and is cancelled and resumed', async ({
  context,
  hub,
  gateways: { alipay },
}) => {
  const page = await newPayer(context, hub);
  await page.emulateMedia({ colorScheme: 'light' });
  const root = await callsOf(hub);
  const texts = (text: string) => ({ zh_CN: '', zh_HK: '', en_US: text, ja_JP: '' });
  const plan = {
    names: texts('Coder'),
    descriptions: texts('For one developer.'),
    stock: 5,
    terms: {
      price: 5_000_000,
      unit: 'month',
      count: 1,
      time_zone: 'UTC',
      allowance: 20_000_000,
      windows: [{ measure: 'credits', period: 'five_hours', amount: 1_000_000, reset: 'rolling' }],
      grace_days: 2,
    },
  };
  const made = await root.post('/api/plan/', { data: plan });
  const reply = (await made.json()) as { message: string; data: { id: number } };
  expect(made.ok(), reply.message).toBe(true);

  await page.goto('/panel/topup');
  await test.step('its terms are in words, with a payment for what the balance lacks', async () => {
    const offers = page.getByRole('region', { name: 'Plans', exact: true });
    for (const text of ['For one developer.', '$40 of calls a month', 'At most $2 in 5 hours', 'All models', '5 left'])
      await expect(offers.getByText(text, { exact: true })).toBeVisible();
    await isFineInEitherTheme(page);
    await page.getByRole('button', { name: 'Buy Coder' }).click();
    const buying = dialog(page, 'Buy Coder');
    await expect(buying.getByText('Your balance is $10 short.')).toBeVisible();
    await buying.getByRole('combobox', { name: 'Pay with' }).click();
    await page.getByRole('option', { name: 'Alipay' }).click();
    await buying.getByRole('button', { name: 'Pay $10 with Alipay' }).click();
    await dialog(page, 'Pay with Alipay').getByText('Waiting for Alipay').waitFor();
    await alipay.pay(orderIn(page));
    await dialog(page, 'Payment received').getByRole('button', { name: 'Done' }).click();
  });
  const mine = page.getByRole('region', { name: 'My plans' });
  await test.step('the payment has bought it', async () => {
    await expect(mine.getByText('of $40 this period')).toBeVisible();
    await expect(mine.getByText('of $2 every 5 hours')).toBeVisible();
    expect(await balanceOf(page)).toBe(0);
  });
  await test.step('its renewal is cancelled, and resumed with Undo', async () => {
    const renew = mine.getByRole('switch', { name: 'Renew at the end' });
    await expect(renew).toBeChecked();
    await renew.uncheck();
    await expectToast(page, 'Coder is not renewed');
    await expect(mine.getByText('Does not renew')).toBeVisible();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(mine.getByText('Renews for $10')).toBeVisible();
    await expect(renew).toBeChecked();
  });
  await test.step('another one is bought from the balance', async () => {
    const self = (await (await page.request.get('/api/user/self')).json()) as { data: { id: number } };
    const more = { quota: 6_000_000, remark: 'for a plan', reference: 'plan-of-a-payer' };
    const corrected = await root.post(`/api/user/quota/${self.data.id}`, { data: more });
    expect(corrected.ok(), await corrected.text()).toBe(true);
    const another = { ...plan, names: texts('Reader'), stock: null, terms: { ...plan.terms, price: 2_500_000 } };
    const second = (await (await root.post('/api/plan/', { data: another })).json()) as { data: { id: number } };
    await page.reload();
    await page.getByRole('button', { name: 'Buy Reader' }).click();
    await dialog(page, 'Buy Reader').getByRole('switch', { name: 'Renew at the end' }).uncheck();
    await dialog(page, 'Buy Reader').getByRole('button', { name: 'Pay $5' }).click();
    await expectToast(page, 'Reader bought');
    await expect(mine.getByRole('region', { name: 'Reader' }).getByText('Does not renew')).toBeVisible();
    expect(await balanceOf(page)).toBe(3_500_000);

    await test.step('a cheaper one follows at the end of the period, and is taken back', async () => {
      const coder = mine.getByRole('region', { name: 'Coder' });
      await coder.getByRole('button', { name: 'Change plan' }).click();
      await dialog(page, 'Change Coder').getByRole('button', { name: 'Change to Reader' }).click();
      await expectToast(page, /^Changes to Reader on /);
      await coder.getByRole('button', { name: 'Take back the change' }).click();
      await expect(coder.getByText('Changes to', { exact: false })).toHaveCount(0);
    });
    // The page of the other tests has no plans.
    for (const [id, off] of [
      [reply.data.id, plan],
      [second.data.id, another],
    ] as const)
      expect((await root.put(`/api/plan/${id}`, { data: { ...off, enabled: false } })).ok()).toBe(true);
  });
  await root.dispose();
});

const withoutGateways = base.extend<object, { hub: Hub }>({ hub: [newHub(), { scope: 'worker' }] });

withoutGateways('without gateways the page says what to do instead', async ({ browser, context, hub }) => {
  const page = await newPayer(context, hub);
  await page.goto('/panel/topup');
  await expect(page.getByText('Add credit with a redemption code.', { exact: false })).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Redemption code' })).toBeVisible();
  const admins = await adminPage(browser, hub);
  const link = admins.getByRole('link', { name: 'Set up a gateway' });
  await expect(link).toHaveAttribute('href', '/panel/payment?tab=gateways');
  await admins.context().close();
});

async function adminPage(browser: Browser, hub: Hub): Promise<Page> {
  const context = await browser.newContext({ baseURL: hub.url, locale: 'en-US' });
  await signIn(context, hub);
  const page = await context.newPage();
  await page.goto('/panel/topup');
  return page;
}
