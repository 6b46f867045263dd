import type { Locator, Page, Route } from '@playwright/test';
import type { Words } from './lib-words.ts';

/** What is done on a page before its picture is taken, with the words of the picture's language. */
export type Act = (page: Page, words: Words) => Promise<void>;

/** One after another. */
export const first =
  (...acts: readonly Act[]): Act =>
  async (page, words) => {
    for (const act of acts) await act(page, words);
  };

export const press =
  (key: string): Act =>
  (page) =>
    page.keyboard.press(key);

const named = (page: Page | Locator, role: 'button' | 'menuitem' | 'radio' | 'tab' | 'link', name: string | RegExp) =>
  page.getByRole(role, { name, exact: true });

/** Presses the first button with this text. */
export const button =
  (text: string): Act =>
  (page, words) =>
    named(page, 'button', words(text)).first().click();

/** The first button of a menu whose name begins with this text. */
export const menuButton =
  (text: string): Act =>
  (page, words) =>
    page
      .getByRole('main')
      .locator('button[aria-haspopup=menu]', { hasText: words(text) })
      .first()
      .click();

/** As `button`, in the dialog or drawer that is on top. */
export const inDialog =
  (text: string): Act =>
  (page, words) =>
    named(top(page), 'button', words(text)).first().click();

const top = (page: Page): Locator => page.locator('dialog[open], [role=dialog], [role=alertdialog]').last();

export const menuItem =
  (text: string): Act =>
  (page, words) =>
    named(page, 'menuitem', words(text)).first().click();

/** A choice of several, whose label is clicked: what is ticked lies under it. */
export const choose =
  (text: string): Act =>
  async (page, words) => {
    await named(page, 'radio', words(text)).first().check({ force: true });
  };

/** The menu of a row, or of a card. */
export const rowMenuOf =
  (at: number): Act =>
  (page, words) =>
    named(page, 'button', words('shared:moreFor')).nth(at).click();
export const rowMenu = rowMenuOf(0);

/** Ticks the first rows of a table. */
export const tickRows: Act = async (page) => {
  const boxes = page.getByRole('row').getByRole('checkbox');
  for (const at of [1, 2, 3]) await boxes.nth(at).check();
};

/** The filters: a sheet on a phone, a menu on a desk, or the first one where all of them stand in the toolbar. */
export const openFilters: Act = async (page, words) => {
  for (const name of ['shared:filters', 'shared:filter']) {
    const found = named(page, 'button', words(name)).first();
    if (await found.isVisible()) return found.click();
  }
  await openChip()(page, words);
};

/** The values of the nth filter that stands in the toolbar. */
export const openChip =
  (at = 0): Act =>
  (page) =>
    page.locator('search button[aria-haspopup=dialog]').nth(at).click();

export const fill =
  (text: string, at = 0): Act =>
  (page) =>
    top(page).locator('input:not([type=checkbox], [type=radio]), textarea').nth(at).fill(text);

/** Into the page's search field. */
export const search =
  (text: string): Act =>
  (page) =>
    page.getByRole('main').getByRole('searchbox').or(page.getByRole('main').getByRole('combobox')).first().fill(text);

/** Whatever is folded in the drawer is opened, and its end shown. */
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

/** What a chart says of the day in its middle. */
export const pointAtChart =
  (at = 0): Act =>
  async (page) => {
    const chart = page.getByRole('main').locator('[role=group][tabindex="0"]:has(svg)').nth(at);
    await chart.hover();
    await chart.getByRole('status').getByText(/\d/).first().waitFor();
  };

/** The first button of the page's head, whatever it is called. */
export const openMenu: Act = (page) => page.locator('header button[aria-expanded]').first().click();

/** To another page by the menu, which is closed on a phone. */
export const toDashboard: Act = async (page, words) => {
  const link = page.locator('nav a[href="/panel/dashboard"]').first();
  if (!(await link.isVisible())) await openMenu(page, words);
  await link.click();
};

export const flipSwitch: Act = (page) => page.getByRole('switch').first().click();

/** Sends the form that is open. */
export const submit = press('Control+Enter');

export const saveToken: Act = async (page) => {
  await page.getByRole('dialog').getByRole('textbox').first().fill('my-first-agent');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('dialog').getByRole('code').or(page.locator('dialog pre, [role=dialog] pre')).first().waitFor();
};

/** A comparison is of the hub: another picture may have begun it, or have it already. */
export const compareBooks: Act = async (page, words) => {
  const told = page.getByText(words('books:balancedText'));
  const begin = named(page, 'button', words('books:run'));
  if ((await begin.isVisible()) && !(await told.isVisible())) await begin.click();
  await told.waitFor();
  await begin.waitFor();
};

/** The token that an earlier picture has made is replaced, which is asked first. */
export const makeAccessToken: Act = async (page, words) => {
  await page.locator('[aria-labelledby=profile-access-token] button').last().click();
  const ready = page.getByText(words('profile:readyTitle'));
  const replace = named(page, 'button', words('profile:againAction'));
  await ready.or(replace).waitFor();
  if (await replace.isVisible()) await replace.click();
  await ready.waitFor();
};

/** Waits until a text, or one like it, is on the page. */
export const until =
  (text: string): Act =>
  (page, words) =>
    page.getByText(words(text)).first().waitFor();

/** What a server says: nothing at all, never anything, that it wants a proof of who asks, a status, or what it has. */
export type Answer = 'nothing' | 'never' | 'unproved' | number | { data: unknown } | { success: false };

/** From now on that is what `address` gets. */
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
