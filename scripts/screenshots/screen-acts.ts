import type { Locator, Page, Route } from '@playwright/test';
import { withoutFirstReplies } from '../lib/browser.ts';
import type { TextOf } from '../lib/texts.ts';

/** Interaction with a page before it is captured, using the texts of the language. */
export type Act = (page: Page, t: TextOf) => Promise<void>;

/** Runs acts in sequence. */
export const first =
  (...acts: readonly Act[]): Act =>
  async (page, t) => {
    for (const act of acts) await act(page, t);
  };

export const press =
  (key: string): Act =>
  (page) =>
    page.keyboard.press(key);

const named = (page: Page | Locator, role: 'button' | 'menuitem' | 'radio' | 'tab' | 'link', name: string | RegExp) =>
  page.getByRole(role, { name, exact: true });

/** Clicks the first button with this text. */
export const button =
  (text: string): Act =>
  (page, t) =>
    named(page, 'button', t(text)).first().click();

/** First button with a menu whose name starts with this text. */
export const menuButton =
  (text: string): Act =>
  (page, t) =>
    page
      .getByRole('main')
      .locator('button[aria-haspopup=menu]', { hasText: t(text) })
      .first()
      .click();

/** Like `button`, in the topmost dialog or drawer. */
export const inDialog =
  (text: string): Act =>
  (page, t) =>
    named(top(page), 'button', t(text)).first().click();

const top = (page: Page): Locator => page.locator('dialog[open], [role=dialog], [role=alertdialog]').last();

export const menuItem =
  (text: string): Act =>
  (page, t) =>
    named(page, 'menuitem', t(text)).first().click();

/** Selects a radio option by its label, which covers the input. */
export const choose =
  (text: string): Act =>
  async (page, t) => {
    await named(page, 'radio', t(text)).first().check({ force: true });
  };

/** Opens the menu of a row or a card. */
export const rowMenuOf =
  (at: number): Act =>
  (page, t) =>
    named(page, 'button', t('shared:moreFor')).nth(at).click();
export const rowMenu = rowMenuOf(0);

/** Selects the first rows of a table. */
export const tickRows: Act = async (page) => {
  const boxes = page.getByRole('row').getByRole('checkbox');
  for (const at of [1, 2, 3]) await boxes.nth(at).check();
};

/** Opens the filters: a sheet on a phone, a menu or the first filter of the toolbar on a desktop. */
export const openFilters: Act = async (page, t) => {
  for (const name of ['shared:filters', 'shared:filter']) {
    const filter = named(page, 'button', t(name)).first();
    if (await filter.isVisible()) return filter.click();
  }
  await openChip()(page, t);
};

/** Opens the nth filter of the toolbar. */
export const openChip =
  (at = 0): Act =>
  (page) =>
    page.locator('search button[aria-haspopup=dialog]').nth(at).click();

export const fill =
  (text: string, at = 0): Act =>
  (page) =>
    top(page).locator('input:not([type=checkbox], [type=radio]), textarea').nth(at).fill(text);

/** Types into the search field of the page. */
export const search =
  (text: string): Act =>
  (page) =>
    page.getByRole('main').getByRole('searchbox').or(page.getByRole('main').getByRole('combobox')).first().fill(text);

/** Expands every section of the drawer and scrolls to its end. */
export const toDrawerEnd: Act = async (page) => {
  await top(page)
    .locator('details')
    .evaluateAll((folded) => {
      for (const each of folded) each.setAttribute('open', '');
    });
  await toDrawerFoot(page);
};

const toDrawerFoot = (page: Page): Promise<void> =>
  top(page).evaluate((drawer) => {
    for (const part of [drawer, ...drawer.querySelectorAll('*')]) part.scrollTop = part.scrollHeight;
  });

export const toTheEnd: Act = (page) =>
  page.evaluate(() => globalThis.scrollTo(0, document.documentElement.scrollHeight));

/** Hovers the middle of a chart to open its tooltip. */
export const pointAtChart =
  (at = 0): Act =>
  async (page) => {
    const chart = page.getByRole('main').locator('[role=group][tabindex="0"]:has(svg)').nth(at);
    await chart.hover();
    await chart.getByRole('status').getByText(/\d/).first().waitFor();
  };

/** Opens the first menu in the page header. */
export const openMenu: Act = (page) => page.locator('header button[aria-expanded]').first().click();

/** Navigates with the menu, which is closed on a phone. */
export const toDashboard: Act = async (page, t) => {
  const link = page.locator('nav a[href="/panel/dashboard"]').first();
  if (!(await link.isVisible())) await openMenu(page, t);
  await link.click();
};

export const flipSwitch: Act = (page) => page.getByRole('switch').first().click();

/** Makes a backup and shows the list of them. */
export const backUp: Act = async (page, t) => {
  const list = page.locator('#group-backup li').first();
  const start = named(page, 'button', t('settingTool:backup.start'));
  await start.waitFor();
  // Other pictures use the same server.
  if (!(await list.isVisible())) await start.click();
  await list.waitFor();
  await list.scrollIntoViewIfNeeded();
};

/** Asks for the passphrase of a download. */
export const downloadBackup: Act = async (page, t) => {
  await page.locator('#group-backup li button').first().click();
  await named(page, 'menuitem', t('settingTool:backup.download')).click();
};

/** Submits the open form. */
export const submit = press('Control+Enter');

export const saveToken: Act = async (page) => {
  await page.getByRole('dialog').getByRole('textbox').first().fill('my-first-agent');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('dialog').getByRole('code').or(page.locator('dialog pre, [role=dialog] pre')).first().waitFor();
};

/** The comparison belongs to the hub: another picture may have started or finished it. */
export const compareBooks: Act = async (page, t) => {
  const balanced = page.getByText(t('books:balancedText'));
  const begin = named(page, 'button', t('books:run'));
  if ((await begin.isVisible()) && !(await balanced.isVisible())) await begin.click();
  await balanced.waitFor();
  await begin.waitFor();
};

/** Replaces the token that an earlier picture created, which needs a confirmation. */
export const makeAccessToken: Act = async (page, t) => {
  await page.locator('[aria-labelledby=profile-access-token] button').filter({ hasText: /./ }).last().click();
  const ready = page.getByText(t('profile:readyTitle'));
  const replace = named(page, 'button', t('profile:againAction'));
  await ready.or(replace).waitFor();
  if (await replace.isVisible()) await replace.click();
  await ready.waitFor();
};

/** Waits until a matching text is visible. */
export const until =
  (text: string): Act =>
  (page, t) =>
    page.getByText(t(text)).first().waitFor();

/** Mocked reply: empty body, no reply, reauthentication required, a status, or data. */
export type Answer = 'nothing' | 'never' | 'unproved' | number | { data: unknown } | { success: false };

/** Mocks the reply of `address` from now on. */
export const answering =
  (address: string, answer: Answer): Act =>
  async (page) => {
    await page.route(address, (route) => {
      if (answer === 'never') return;
      if (answer === 'nothing') return route.abort('connectionrefused');
      if (answer === 'unproved') return refuse(route, 403, { code: 'session.proof', message: '' });
      if (typeof answer === 'number') return refuse(route, answer, { message: 'database is locked' });
      return route.fulfill({ json: { success: true, message: '', ...answer } });
    });
  };

const refuse = (route: Route, status: number, why: object) =>
  route.fulfill({ status, json: { success: false, ...why } });

/** Unfolds a section of the drawer and shows it. */
export const unfold =
  (text: string): Act =>
  async (page, t) => {
    const section = top(page)
      .locator('details', { hasText: t(text) })
      .first();
    await section.evaluate((folded) => folded.setAttribute('open', ''));
    await section.scrollIntoViewIfNeeded();
  };

/** Types the request id of the last call into the topmost dialog. */
export const fillLastCall: Act = async (page, t) => {
  const { data } = (await (await page.request.get('/api/log/?size=1')).json()) as {
    data: { data: { request_id: string }[] };
  };
  await fill(data.data[0]?.request_id ?? 'none')(page, t);
};

/** Asks whether to close the account. */
export const closeAccount: Act = (page, t) =>
  page
    .getByRole('button', { name: new RegExp(`^${t('profile:closeAction')}`) })
    .first()
    .click();

/** Loads the page again with other members in the replies of `address`. */
export const patching =
  (address: string, change: object): Act =>
  async (page) => {
    await withoutFirstReplies(page);
    await page.route(address, async (route) => {
      const reply = await route.fetch();
      const json = (await reply.json()) as { data: object };
      await route.fulfill({ json: { ...json, data: { ...json.data, ...change } } });
    });
    await page.reload();
  };
