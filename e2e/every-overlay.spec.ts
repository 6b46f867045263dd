import type { Page } from '@playwright/test';
import { isFineInEitherTheme } from './axe.ts';
import { callsOf, expect, test } from './hub.ts';
import { desk, phone } from './parts.ts';
import { settled } from './page-helpers.ts';

/** Overlays, late content and invalid fields have no axe violations in either theme. */

let team: { data: { id: number } };

test.beforeAll(async ({ hub }) => {
  const root = await callsOf(hub);
  team = (await (await root.post('/api/team/', { data: { name: 'overlay-team' } })).json()) as typeof team;
  for (const name of ['over-one', 'over-two'])
    await root.post('/api/token/', { data: { name, unlimited_quota: true } });
  await root.dispose();
});

// Other files expect no teams.
test.afterAll(async ({ hub }) => {
  const root = await callsOf(hub);
  await root.delete(`/api/team/${team.data.id}`);
  await root.dispose();
});

interface Opened {
  name: string;
  address: string;
  open: (page: Page) => Promise<unknown>;
  onPhone?: true;
}

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().click();
const inMenu = (page: Page, name: string | RegExp) => page.getByRole('menuitem', { name }).click();

async function ask(page: Page): Promise<void> {
  await press(page, 'More actions for over-one');
  await inMenu(page, /^Delete/);
  await page.getByRole('alertdialog').waitFor();
}

const opened: Opened[] = [
  { name: 'the menu of a row', address: '/panel/token', open: (page) => press(page, 'More actions for over-one') },
  { name: 'the menu of columns', address: '/panel/log', open: (page) => press(page, 'Columns') },
  { name: 'the menu of the account', address: '/panel/token', open: (page) => press(page, 'Account: root') },
  { name: 'the menu of languages', address: '/price', open: (page) => press(page, 'Language') },
  { name: 'a question', address: '/panel/token', open: ask },
  { name: 'a filter with options', address: '/panel/log', open: (page) => press(page, /^Type:/) },
  { name: 'a filter of time', address: '/panel/log', open: (page) => press(page, /^Time:/) },
  { name: 'the help of a page', address: '/panel/channel', open: (page) => press(page, 'Help') },
  {
    name: 'the palette',
    address: '/panel/token',
    open: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill('to');
      await page.getByRole('option').first().waitFor();
    },
  },
  {
    name: 'a palette that finds nothing',
    address: '/panel/token',
    open: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill('qqqqqq');
      await expect(page.getByRole('option')).toHaveCount(0);
    },
  },
  {
    name: 'what is selected, and what can be done to it',
    address: '/panel/token',
    open: (page) => page.getByRole('checkbox', { name: 'Select this page' }).check(),
  },
  {
    name: 'a toast with a way back',
    address: '/panel/token',
    open: async (page) => {
      await press(page, 'More actions for over-two');
      await inMenu(page, /^(Disable|Enable)$/);
      await page.getByRole('button', { name: 'Undo' }).waitFor();
    },
  },
  {
    name: 'a form with what is wrong at its fields',
    address: '/panel/user?edit=new',
    open: async (page) => {
      await page.getByRole('dialog').getByLabel('Username').fill('a');
      await page.keyboard.press('Control+Enter');
      await page.locator('[aria-invalid=true]').first().waitFor();
    },
  },
  {
    name: 'an open list of choices',
    address: '/panel/channel?edit=new',
    open: async (page) => {
      await page.getByRole('dialog').getByLabel('Type', { exact: true }).click();
      await page.getByRole('option').first().waitFor();
    },
  },
  {
    name: 'a virtual model with what is wrong at its fields',
    address: '/panel/virtual_model?edit=new',
    open: async (page) => {
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Control+Enter');
      await page.locator('[aria-invalid=true]').first().waitFor();
    },
  },
  { name: 'an invitation to a team', address: '/panel/team', open: (page) => press(page, 'Invite') },
  { name: 'the limits of a team', address: '/panel/team', open: (page) => press(page, 'Set limits') },
  {
    name: 'the view of a team',
    address: '/panel/teams',
    open: async (page) => {
      await page.getByRole('row', { name: /overlay-team/ }).click();
      await page.getByRole('heading', { name: 'Latest balance changes' }).waitFor();
    },
  },
  {
    name: 'another owner of a team',
    address: '/panel/teams',
    open: async (page) => {
      await press(page, 'More actions for overlay-team');
      await inMenu(page, 'Change owner');
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'a new team', address: '/panel/team', open: (page) => press(page, 'Create team') },
  { name: 'a new team on a phone', address: '/panel/team', open: (page) => press(page, 'Create team'), onPhone: true },
  {
    name: 'a chart as a table',
    address: '/panel/analytics',
    open: async (page) => {
      await press(page, 'View as table');
      await page.getByRole('main').getByRole('table').first().waitFor();
    },
  },
  {
    name: 'the menu of the console',
    address: '/panel/token',
    open: async (page) => {
      await press(page, 'Open menu');
      // The page below is inert before the menu has loaded.
      await page.getByRole('dialog').waitFor();
    },
    onPhone: true,
  },
  {
    name: 'the public menu',
    address: '/',
    open: async (page) => {
      await press(page, /menu/i);
      // The icon of the button changes before the menu has loaded.
      await page.locator('.sheet-top').waitFor();
    },
    onPhone: true,
  },
  { name: 'the sheet of filters', address: '/panel/log', open: (page) => press(page, 'Filters'), onPhone: true },
  { name: 'a question on a phone', address: '/panel/token', open: ask, onPhone: true },
];

for (const { name, address, open, onPhone } of opened)
  test(`${name}: axe finds nothing in either theme`, async ({ roots: page }) => {
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(onPhone ? phone : desk);
    await page.mouse.move(0, 0); // away from what the case before pressed
    await page.goto(address);
    await settled(page);
    const elements = () => page.locator('body *').count();
    const before = await elements();
    await open(page);
    // Content that loads with the first press appears a moment later.
    await expect.poll(elements, 'elements').not.toBe(before);
    await isFineInEitherTheme(page);
  });
