import OpenAI from 'openai';
import { explainCharge, type Log, type Self, usageOf } from '@relay-hub/contract';
import { expect, type Hub, newHub, test as base } from './hub.ts';
import { copiedText, inPanel } from './page-helpers.ts';

/** Uses a separate server without changes by other tests. */
const test = base.extend<object, { hub: Hub }>({ hub: [newHub({ OUTBOUND_PRIVATE: '' }), { scope: 'worker' }] });

/** The first steps of an operator on a new server, and then of a consumer of its API. */
test.describe.configure({ mode: 'serial' });

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

test('from the printed password to a call that is explained', async ({ page, hub, upstream }) => {
  await test.step('sign in with the printed password', async () => {
    await page.goto('/panel');
    await expect(page).toHaveURL(/\/login/);
    await page.getByLabel('Username or email').fill('root');
    await page.getByLabel('Password', { exact: true }).fill('not-the-password');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expect(page.getByText('Incorrect username or password.')).toBeVisible();
    await page.getByLabel('Password', { exact: true }).fill(hub.rootPassword);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await inPanel(page);
    await expect(page.getByText('Get started in four steps')).toBeVisible();
    await expect(page.getByText('0 of 4 done')).toBeVisible();
  });

  await test.step('add a channel: type, address, key; models come from the provider', async () => {
    await page.getByRole('link', { name: 'Add a channel' }).first().click();
    const drawer = page.getByRole('dialog', { name: 'Add channel' });
    await drawer.getByLabel('Type', { exact: true }).click();
    await page.getByRole('option', { name: /OpenAI-compatible/ }).click();
    await drawer.getByLabel('Base URL', { exact: false }).fill(`${upstream.url}/v1`);
    await drawer.getByLabel('Key', { exact: true }).fill('sk-any-key-for-the-simulator');
    await drawer.getByRole('button', { name: 'Fetch from provider' }).click();
    // The provider is on this machine, which is not allowed yet. The fetch continues after the permission.
    await expect(drawer.getByText('This address is on a private network')).toBeVisible();
    await drawer.getByRole('button', { name: 'Allow this address' }).click();
    await drawer.getByRole('button', { name: /Add all/ }).click();
    await drawer.getByRole('button', { name: 'Save and test' }).click();
    // After saving, the same drawer edits the new channel.
    const saved = page.getByRole('dialog', { name: 'Edit channel' });
    const told = page.getByLabel('Messages').getByText(`Saved as ${upstream.url}. Requests add the rest of the path`);
    await expect(told).toBeVisible();
    await expect(saved.getByLabel('Base URL', { exact: false })).toHaveValue(upstream.url);
    await expect(saved.getByText(/answered in \d+ ms/)).toBeVisible();
    await expect(saved.getByText(/Hello! How can I help you today/)).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('row', { name: /Enabled/ })).toBeVisible();
  });

  await test.step('create a token; the dialog holds the key and an example, and waits for the first call', async () => {
    await page.getByRole('link', { name: 'Tokens', exact: true }).click();
    await page.getByRole('button', { name: 'Create token' }).first().click();
    const drawer = page.getByRole('dialog', { name: 'Create token' });
    await drawer.getByLabel('Name', { exact: true }).fill('first-token');
    await drawer.getByRole('button', { name: /Create token|Save/ }).click();
    const ready = page.getByRole('dialog', { name: 'Token first-token is ready' });
    await expect(ready).toBeVisible();
    await expect(ready.getByText('Waiting for the first call')).toBeVisible();
    await ready.getByRole('button', { name: 'Copy token' }).click();
    const key = await copiedText(page, /^sk-[A-Za-z0-9]{48}$/);

    const client = new OpenAI({ apiKey: key, baseURL: `${hub.url}/v1` });
    const reply = await client.chat.completions.create({
      model: 'gpt-4o-mini',
      messages: [{ role: 'user', content: 'Hello' }],
    });
    expect(reply.choices[0]?.message.content).toMatch(/Hello!/);
    await expect(ready.getByText('First call received')).toBeVisible();
    await ready.getByRole('button', { name: 'Done' }).click();

    let streamed = '';
    const stream = await client.chat.completions.create({
      model: 'gpt-4o-mini',
      stream: true,
      messages: [{ role: 'user', content: 'Hello' }],
    });
    for await (const chunk of stream) streamed += chunk.choices[0]?.delta.content ?? '';
    expect(streamed).toBe(reply.choices[0]?.message.content);
    const embedding = await client.embeddings.create({ model: 'text-embedding-3-small', input: 'Hello' });
    expect(embedding.data[0]?.embedding.length).toBeGreaterThan(0);
    const models = await client.models.list();
    expect(models.data.map(({ id }) => id)).toContain('gpt-4o-mini');
  });

  await test.step('the balance fell by the sum of the charges in the log', async () => {
    const rows = async () => {
      const { data } = (await (await page.request.get('/api/log/?size=100')).json()) as { data: { data: Log[] } };
      return data.data;
    };
    // Log rows are written a moment after the reply.
    await expect.poll(rows, 'rows of the log').toHaveLength(3);
    const self = (await (await page.request.get('/api/user/self')).json()) as { data: Self };
    let explained = 0;
    for (const row of await rows()) {
      const { price_type: type, input_ratio: input, output_ratio: output, group_ratio: group } = row.metadata!;
      const charge = explainCharge({ type: type!, input: input!, output: output! }, group!, usageOf(row));
      expect(charge.credits).toBe(row.quota);
      explained += charge.credits;
    }
    expect(explained).toBeGreaterThan(0);
    expect(self.data.quota).toBe(100_000_000 - explained);
    expect(self.data.used_quota).toBe(explained);
  });

  await test.step('the log explains the charge of a call', async () => {
    await page.getByRole('link', { name: 'Log', exact: true }).click();
    await expect(page.getByRole('row', { name: /gpt-4o-mini/ })).toHaveCount(2);
    await page
      .getByRole('row', { name: /gpt-4o-mini/ })
      .last()
      .click();
    await expect(page).toHaveURL(/id=\d+/);
    const detail = page
      .getByRole('dialog', { name: /gpt-4o-mini/ })
      .or(page.getByRole('complementary', { name: /gpt-4o-mini/ }));
    await expect(detail.getByText('Cost breakdown')).toBeVisible();
    await expect(detail.getByText('Rounded up once')).toBeVisible();
    await page.reload();
    await expect(detail.getByText('Cost breakdown')).toBeVisible();
  });

  await test.step('the dashboard shows it, and the checklist is gone', async () => {
    await page.getByRole('link', { name: 'Dashboard' }).first().click();
    await expect(page.getByText('Get started in four steps')).toBeHidden();
    await expect(page.getByRole('row', { name: /gpt-4o-mini/ }).first()).toBeVisible();
    await expect(page.getByRole('img', { name: /3 attempts, none failed/ })).toBeVisible();
  });

  await test.step('the checklist for opening to others follows, and remembers what is not needed', async () => {
    const list = page.getByRole('region', { name: 'Before you open to others' });
    await expect(list.getByText('2 of 10 done')).toBeVisible();
    await list.getByRole('button', { name: 'Payment: not needed' }).click();
    await expect(list.getByText('3 of 10 done')).toBeVisible();
    await list.getByRole('link', { name: 'Set up backups' }).click();
    await page.getByRole('switch', { name: 'Daily backup' }).check();
    await page.getByRole('button', { name: /^Save/ }).click();
    // Leaving while the request runs asks whether to discard the change.
    await expect(page.getByRole('button', { name: /^Save/ })).toBeHidden();
    await page.getByRole('link', { name: 'Dashboard' }).first().click();
    await expect(list.getByText('4 of 10 done')).toBeVisible();
    await list.getByRole('button', { name: 'Don’t show again' }).click();
    await expect(list).toBeHidden();
    await page.reload();
    await expect(page.getByRole('row', { name: /gpt-4o-mini/ }).first()).toBeVisible();
    await expect(list).toBeHidden();
  });
});
