import { callsOf, expect, type Hub, newHub, signIn, test as base } from './hub.ts';

/** Uses a separate server: refusals of other tests would be in the same log. */
const test = base.extend<object, { hub: Hub }>({ hub: [newHub(), { scope: 'worker' }] });

test.describe.configure({ mode: 'serial' });

const bob = { username: 'bobsmith', password: 'a-long-password-1' };

const ask = (hub: Hub, key: string, model: string): Promise<Response> =>
  fetch(`${hub.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
  });

test.beforeAll(async ({ hub, upstream }) => {
  const root = await callsOf(hub);
  const done = async (path: string, data: object) => {
    const answer = await root.post(path, { data });
    expect(await answer.json()).toMatchObject({ success: true });
  };
  await done('/api/channel/', {
    type: 8,
    name: 'main',
    key: 'sk-any-key-0001',
    base_url: upstream.url,
    models: 'gpt-4o-mini,unpriced-model',
  });
  await done('/api/user/', { ...bob, display_name: 'Bob', group: 'default' });
  await root.dispose();
});

test('a new user sees the empty balance, and the token dialog explains why the first call is refused', async ({
  page,
  context,
  hub,
}) => {
  await signIn(context, hub, bob);
  await page.goto('/panel/dashboard');
  await expect(page.getByText(/Your balance is \$0\.00\. Calls to paid models are refused/)).toBeVisible();

  const calls = await callsOf(hub, bob);
  const made = await calls.post('/api/token/', { data: { name: 'laptop', unlimited_quota: true } });
  const { data } = (await made.json()) as { data: { key: string } };
  await page.goto('/panel/token');
  await page.getByRole('row', { name: /laptop/ }).hover();
  await page.getByRole('button', { name: 'Use laptop' }).click();
  await page.getByRole('menuitem', { name: 'Show example' }).click();
  const dialog = page.getByRole('dialog', { name: 'Use token laptop' });
  await expect(dialog.getByText('Waiting for the first call')).toBeVisible();
  expect((await ask(hub, data.key, 'gpt-4o-mini')).status).toBe(402);
  await expect(dialog.getByText('Refused: insufficient balance')).toBeVisible();
  await expect(dialog.getByText('Your balance is $0.00. Top up, then retry.')).toBeVisible();
  await expect(dialog.getByText('Waiting for')).toBeHidden();
  for (let n = 0; n < 2; n++) await ask(hub, data.key, 'gpt-4o-mini');
  await expect(dialog.getByText('×3')).toBeVisible();
  for (const model of ['gpt-9', 'unpriced-model']) await ask(hub, data.key, model);

  // The log is not empty for a user whose calls were all refused.
  await expect(dialog.getByText('Refused: model has no price')).toBeVisible();
  await dialog.getByRole('link', { name: 'Show in log' }).click();
  await expect(page.getByRole('dialog', { name: 'Model has no price' })).toBeVisible();
  await page.goto('/panel/log');
  await expect(page.getByText('Nothing logged yet')).toBeHidden();
  await expect(page.getByRole('row', { name: /402 insufficient balance/ })).toContainText('×3 since');
  await expect(page.getByRole('row', { name: /404 model not found/ })).toContainText('gpt-9');
  await page.getByRole('row', { name: /402 insufficient balance/ }).click();
  const refused = page.getByRole('dialog', { name: 'Insufficient balance' });
  await expect(refused.getByText('Your balance is $0.00. Top up, then retry.')).toBeVisible();
  await expect(refused.getByText(/^Insufficient balance: this call needs .* Top up/)).toBeVisible();
  await refused.getByRole('link', { name: 'Top up' }).click();
  await expect(page).toHaveURL(/\/panel\/topup/);

  await page.goto('/panel/log?log_type=2');
  await expect(page.getByText('No calls went through. The latest was refused')).toBeVisible();
  await page.getByRole('button', { name: 'Show refused calls' }).click();
  await expect(page).toHaveURL(/log_type=5/);
  await expect(page.getByRole('row', { name: /400 model has no price/ })).toBeVisible();
  await calls.dispose();
});

test('the operator finds them by user, status and request, and sees unknown keys by address', async ({
  page,
  context,
  hub,
}) => {
  await signIn(context, hub);
  const wrong = await ask(hub, `sk-${'x'.repeat(48)}`, 'gpt-4o-mini');
  expect(wrong.status).toBe(401);
  await page.goto('/panel/log?username=bobsmith&status=402');
  const row = page.getByRole('row', { name: /402 insufficient balance/ });
  await expect(row).toContainText('bobsmith');
  await expect(page.getByRole('row', { name: /404/ })).toBeHidden();
  await row.click();
  const detail = page.getByRole('dialog', { name: 'Insufficient balance' });
  await expect(detail.getByText('The balance of bobsmith does not cover this call.')).toBeVisible();
  await detail.getByRole('link', { name: 'Adjust balance' }).click();
  await expect(page).toHaveURL(/\/panel\/user\?.*adjust=/);

  await page.goto('/panel/log?log_type=5');
  await expect(page.getByRole('region', { name: 'Calls with unknown tokens' })).toContainText('127.0.0.1');
});
