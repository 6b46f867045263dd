import { callsOf, expect, type Hub, newHub, signIn, test as base } from './hub.ts';
import { expectToast, recordToasts, withoutSecureContext } from './page-helpers.ts';

/** Uses a separate server, because all of its channels are tested. */
const test = base.extend<object, { hub: Hub }>({ hub: [newHub(), { scope: 'worker' }] });

const channels = 20;

test('a test of all channels continues when the page is left, and its progress is shown after a reload', async ({
  page,
  context,
  hub,
  upstream,
}) => {
  const root = await callsOf(hub);
  const slow = { type: 8, key: 'sk-slow', base_url: upstream.url, models: 'gpt-4o-mini', test_model: 'gpt-4o-mini' };
  for (let n = 0; n < channels; n++) await root.post('/api/channel/', { data: { ...slow, name: `slow-${n}` } });
  await root.post('/api/channel/', { data: { ...slow, name: 'untested', models: 'gpt-*', test_model: '' } });
  await root.dispose();
  await recordToasts(context);
  await withoutSecureContext(context);
  await signIn(context, hub);
  const bar = page.getByRole('progressbar', { name: 'Testing channels' });
  await page.goto('/panel/channel');
  // Slow enough to see the progress.
  upstream.behaviour = { delayMs: 3000 };
  try {
    await page.getByRole('button', { name: 'Test all' }).click();
    const question = page.getByRole('alertdialog');
    await question.getByRole('button', { name: `Test ${channels + 1} channels` }).click();
    await expect(bar).toBeVisible();
    await page.getByRole('link', { name: 'Tokens', exact: true }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Tokens' })).toBeVisible();
    await expect(bar).toBeVisible();
    await page.goto('/panel/channel');
    await expect(bar).toBeVisible();
  } finally {
    upstream.behaviour = {};
  }
  await expectToast(page, `${channels} answered, 0 failed, 1 not tested`);
  await expect(bar).toHaveCount(0);
  await page.getByRole('button', { name: 'More actions', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Last channel test' }).click();
  await expect(page.getByRole('dialog').getByRole('listitem')).toHaveText(
    /untested.*Only wildcards to choose from: set a test model/,
  );
});
