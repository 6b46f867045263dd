import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { productVersion } from '../server/src/version.ts';
import { callsOf, expect, signIn, test } from './hub.ts';

/** Maintenance from the settings: deleting old calls, looking for new versions. */

test('the progress of a clean-up is shown, also of another node’s, and it can be stopped', async ({
  page,
  context,
  hub,
}) => {
  await signIn(context, hub);
  // A job of another node: this node leaves it alone while that node sends heartbeats.
  const db = new DatabaseSync(path.join(hub.dataDir, 'relay-hub.db'), { timeout: 10_000 });
  const now = Math.floor(Date.now() / 1000);
  db.prepare(
    `insert or replace into log_cleanup (id, target_timestamp, state, total, deleted, cleaned_before, actor_id, node, started_time, seen_time, ended_time)
     values (1, ?, 'running', 1000, 250, 0, 1, 'another-node', ?, ?, 0)`,
  ).run(now - 86_400, now, now + 3600);
  await page.goto('/panel/setting?tab=operation');
  const bar = page.getByRole('progressbar', { name: 'Clean up the log' });
  await expect(page.getByText('Cleaning up: 250 of 1,000')).toBeVisible();
  await expect(bar).toHaveAttribute('aria-valuenow', '25');
  await expect(page.getByRole('button', { name: 'Clean up…' })).toBeDisabled();
  db.exec('update log_cleanup set deleted = 500');
  await expect(page.getByText('Cleaning up: 500 of 1,000')).toBeVisible();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await expect(page.getByText(/^The last clean-up was stopped after 500 calls,/)).toBeVisible();
  await expect(bar).toBeHidden();
  expect(db.prepare('select state from log_cleanup').get()).toEqual({ state: 'cancelled' });
  db.close();
});

test('the configured source is checked for later versions, and no script in its reply runs', async ({
  page,
  context,
  hub,
}) => {
  const releases = [
    { tag_name: 'v9.14.9', html_url: 'https://code.example/v9.14.9', body: '**Faster** [here](javascript:alert(1))' },
    { tag_name: `v${productVersion}`, html_url: 'javascript:alert(1)', body: '<img src=x onerror=alert(1)>' },
  ];
  const source = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(releases));
  });
  await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve));
  const root = await callsOf(hub);
  const set = async (value: string | null) => {
    const answer = await root.put('/api/option/batch', { data: { values: { UpdateSource: value } } });
    expect(await answer.json()).toMatchObject({ success: true });
  };
  await signIn(context, hub);
  await page.goto('/panel/setting?tab=other');
  const check = page.getByRole('button', { name: 'Check for updates' });
  await check.click();
  await expect(page.getByText(/^No update source is set/)).toBeVisible();

  await set(`http://127.0.0.1:${(source.address() as AddressInfo).port}`);
  await check.click();
  await expect(page.getByText('1 newer version is available.')).toBeVisible();
  const later = page.getByRole('row').filter({ hasText: 'v9.14.9' });
  await expect(later.getByRole('link', { name: 'v9.14.9' })).toHaveAttribute('href', 'https://code.example/v9.14.9');
  await expect(page.locator('aside').getByRole('link', { name: 'v9.14.9 is available' })).toBeVisible();
  await expect(later.locator('strong')).toHaveText('Faster');
  await expect(later.getByRole('link')).toHaveCount(1);
  const running = page.getByRole('row').filter({ hasText: `v${productVersion}` });
  await expect(running).toContainText('<img src=x onerror=alert(1)>');
  await expect(running.getByRole('link')).toHaveCount(0);

  // An unreachable source is reported without other effects.
  source.closeAllConnections();
  await new Promise((resolve) => source.close(resolve));
  await check.click();
  await expect(page.getByText(/^Could not reach the update source: /)).toBeVisible();
  await set(null);
  await root.dispose();
});
