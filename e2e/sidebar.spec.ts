import { callsOf, expect, signIn, test } from './hub.ts';
import { heading, menu, phone } from './parts.ts';

/* The side menu: entries by role, folding, and its place on a phone. */

const clerk = { username: 'shell_clerk', password: 'a-password-of-clerk' };
const forAdmins = ['Analytics', 'Users', 'Incidents', 'Channels', 'Operations', 'Payment settings', 'Settings'];
const forAll = [
  'Dashboard',
  'Playground',
  'Tokens',
  'Profile',
  'Top-up',
  'Available models',
  'Log',
  'My usage',
  'Image tasks',
  'Async tasks',
];

test('an administrator has every entry, in four groups', async ({ page, context, hub }) => {
  await signIn(context, hub);
  await page.goto('/panel');
  await expect(menu(page).getByRole('heading')).toHaveText(['Overview', 'Manage', 'Billing', 'Usage']);
  for (const name of [...forAll, ...forAdmins]) await expect(menu(page).getByText(name, { exact: true })).toBeVisible();
  const group = (name: string) => menu(page).getByRole('region', { name }).getByRole('listitem');
  await expect(group('Overview')).toHaveText(['Dashboard', 'Analytics', 'Playground']);
  // Entries count incidents and channels in trouble, which other tests may have left.
  const managed = [
    'Users',
    /^Incidents\d*$/,
    /^Channels\d*$/,
    'Operations',
    'Payment settings',
    'Tokens',
    'Profile',
    'Audit log',
    'Settings',
  ];
  await expect(group('Manage')).toHaveText(managed);
  await expect(group('Billing')).toHaveText(['Top-up', 'Ledger', 'Available models', 'Reconciliation']);
  await expect(group('Usage')).toHaveText(['Log', 'My usage', 'Image tasks', 'Async tasks']);
});

test('a user without that role sees only public entries, and a no-access page elsewhere', async ({
  page,
  context,
  hub,
}) => {
  const root = await callsOf(hub);
  await root.post('/api/user/', { data: { ...clerk, group: 'default' } });
  await root.dispose();
  await signIn(context, hub, clerk);
  await page.goto('/panel');
  for (const name of forAll) await expect(menu(page).getByText(name, { exact: true })).toBeVisible();
  for (const name of forAdmins) await expect(menu(page).getByText(name, { exact: true })).toHaveCount(0);
  for (const path of ['channel', 'user', 'analytics', 'pricing', 'setting', 'redemption', 'user_group']) {
    await page.goto(`/panel/${path}`);
    await expect(heading(page, 'You don’t have access to this page')).toBeVisible();
  }
});

test('an entry that folds others away goes to the first of them, and marks where one is', async ({
  page,
  context,
  hub,
}) => {
  await signIn(context, hub);
  await page.goto('/panel/token');
  const current = menu(page).locator('[aria-current=page]');
  await expect(current).toHaveText('Tokens');
  const folds = [
    {
      name: 'Operations',
      first: 'User groups',
      path: 'user_group',
      rest: [
        'All teams',
        'Model prices',
        'Virtual models',
        'Telegram bot',
        'Model owners',
        'Guardrails',
        'Block list',
        'Announcements',
        'System',
      ],
    },
    { name: 'Payment settings', first: 'Redemption codes', path: 'redemption', rest: ['Plans', 'Payments'] },
  ];
  for (const { name, first, path, rest } of folds) {
    const fold = menu(page).getByRole('button', { name });
    await expect(fold).toHaveAttribute('aria-expanded', 'false');
    await fold.click();
    await expect(fold).toHaveAttribute('aria-expanded', 'true');
    await expect(page).toHaveURL(new RegExp(`/panel/${path}$`));
    // While the next screen loads, the previous entry is still marked.
    await expect(current).toHaveCount(1);
    await expect(current).toHaveText(first);
    const parent = menu(page)
      .getByRole('listitem')
      .filter({ has: page.getByRole('button', { name }) });
    const children = parent.getByRole('listitem');
    await expect(children).toHaveText([first, ...rest]);
  }
  await page.goto('/panel/pricing');
  await expect(menu(page).getByRole('button', { name: 'Operations' })).toHaveAttribute('aria-expanded', 'true');
  await expect(current).toHaveText('Model prices');
  await page.goto('/panel/channel?edit=new');
  await expect(page.locator('aside [aria-current=page]')).toHaveText(/^Channels\d*$/);
});

test('it fits a low screen, and the current entry is in sight when a fold makes it longer', async ({
  page,
  context,
  hub,
}) => {
  await signIn(context, hub);
  for (const height of [720, 900]) {
    await page.setViewportSize({ width: 1440, height });
    await page.goto('/panel/task');
    await expect(menu(page).locator('[aria-current=page]')).toBeInViewport({ ratio: 1 });
    const [needed, there] = await menu(page).evaluate((nav) => [nav.scrollHeight, nav.clientHeight]);
    expect(needed, `at ${height} px`).toBeLessThanOrEqual(there);
  }
  await page.setViewportSize({ width: 1440, height: 500 });
  await page.goto('/panel/announcement');
  await expect(menu(page).locator('[aria-current=page]')).toBeInViewport({ ratio: 1 });
  await page.goto('/panel/task');
  await expect(menu(page).locator('[aria-current=page]')).toBeInViewport({ ratio: 1 });
});

test('shows unknown menu entries in red', async ({ page, context, hub }) => {
  await signIn(context, hub);
  await page.route('**/assets/*.js', async (route) => {
    const script = await (await route.fetch()).text();
    const faulty = script
      .replace(/(parent:["'`])paySetting/, '$1noSuchParent')
      .replace(/(group:["'`])usage(["'`],order:10,titleKey:["'`]log)/, '$1noSuchGroup$2');
    await route.fulfill({ contentType: 'text/javascript', body: faulty });
  });
  await page.goto('/panel/token');
  for (const text of ['Menu Items Error', 'Menu group error'])
    await expect(menu(page).getByText(text, { exact: true })).toHaveCSS('color', 'rgb(180, 35, 24)');
  await expect(menu(page).getByRole('heading')).toHaveText(['Overview', 'Manage', 'Billing', 'Usage']);
  await expect(menu(page).getByText('Tokens', { exact: true })).toBeVisible();
});

test('ends with the user card, which links to the profile, and the version', async ({ page, context, hub }) => {
  await signIn(context, hub);
  await page.goto('/panel/token');
  const side = page.locator('aside');
  await expect(side.getByText('root', { exact: true })).toBeVisible();
  await expect(side.getByLabel('Version v0.14.8')).toHaveText('v0.14.8');
  await side.locator('a[href="/panel/profile"]').last().click();
  await expect(page).toHaveURL(/\/panel\/profile$/);
});

test('can be hidden and shown again, and the choice persists', async ({ page, context, hub }) => {
  await signIn(context, hub);
  await page.goto('/panel/token');
  await page.getByRole('button', { name: 'Hide sidebar' }).click();
  await expect(page.locator('aside')).toHaveCount(0);
  await page.reload();
  await page.getByRole('button', { name: 'Show sidebar' }).click();
  await expect(page.locator('aside')).toBeVisible();
});

test('on a phone it lies over the page and closes when an entry is chosen', async ({ page, context, hub }) => {
  await signIn(context, hub);
  await page.setViewportSize(phone);
  await page.goto('/panel/token');
  const drawer = page.getByRole('dialog', { name: 'Main menu' });
  await page.getByRole('button', { name: 'Open menu' }).click();
  await expect(drawer.getByText('v0.14.8')).toBeVisible();
  await drawer.getByRole('link', { name: 'Log', exact: true }).click();
  await expect(page).toHaveURL(/\/panel\/log/);
  await expect(drawer).toHaveCount(0);
  await page.getByRole('button', { name: 'Open menu' }).click();
  await page.keyboard.press('Escape');
  await expect(drawer).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Open menu' })).toBeFocused();
});
