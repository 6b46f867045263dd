import { answering, button, first, rowMenuOf } from './screen-acts.ts';
import type { Screen } from './screen.ts';

const nothing = 'nothing-is-called-so';
const lists = ['channel', 'token', 'log', 'user', 'redemption', 'pricing', 'ledger', 'audit'] as const;
const noMatch = (page: string): string =>
  page === 'log' ? `model_name=${nothing}` : page === 'audit' ? `actor=${nothing}` : `keyword=${nothing}`;

/** Screens without results, while loading, and with server errors. */
export const stateScreens: Screen[] = [
  ...lists.map((page): Screen => ({
    name: `${page}-none`,
    address: `/panel/${page}?${noMatch(page)}`,
    dataOnly: true,
  })),
  { name: 'price-none', address: `/price?keyword=${nothing}`, as: 'visitor', dataOnly: true },
  { name: 'channel-waiting', address: '/panel/channel', dataOnly: true, answers: { '**/api/channel/?**': 'never' } },
  {
    name: 'dashboard-waiting',
    address: '/panel/dashboard',
    dataOnly: true,
    answers: { '**/api/dashboard/**': 'never' },
  },
  { name: 'channel-failed', address: '/panel/channel', dataOnly: true, answers: { '**/api/channel/?**': 500 } },
  {
    name: 'dashboard-failed',
    address: '/panel/dashboard',
    dataOnly: true,
    answers: { '**/api/dashboard/**': 500 },
  },
  { name: 'setting-failed', address: '/panel/setting', dataOnly: true, answers: { '**/api/option/': 500 } },
  {
    name: 'channel-stale',
    address: '/panel/channel',
    dataOnly: true,
    only: 'desktop',
    act: first(answering('**/api/channel/?**', 500), button('shared:refresh')),
  },
  {
    name: 'offline',
    address: '/panel/channel',
    dataOnly: true,
    only: 'desktop',
    act: first(answering('**/api/**', 'nothing'), button('shared:refresh')),
  },
  {
    name: 'cannot-connect',
    address: '/',
    as: 'visitor',
    dataOnly: true,
    firstVisit: true,
    answers: { '**/api/**': 'nothing' },
  },
  {
    name: 'login-refused',
    address: '/login',
    as: 'visitor',
    dataOnly: true,
    // A mocked refusal, because real ones are rate limited.
    answers: { '**/api/user/login': { success: false } },
    act: async (page) => {
      await page.getByRole('textbox').first().fill('liu.wei');
      await page.locator('input[type=password]').fill('not-the-password');
      await page.keyboard.press('Enter');
    },
  },
  {
    name: 'login-wrong',
    address: '/login',
    as: 'visitor',
    dataOnly: true,
    act: (page) => page.locator('form button[type=submit]').first().click(),
  },
  {
    name: 'login-by-code',
    address: '/login',
    as: 'visitor',
    dataOnly: true,
    act: (page, t) => page.getByText(t('login:byCode')).first().click(),
  },
  {
    name: 'register-wrong',
    address: '/register',
    as: 'visitor',
    dataOnly: true,
    act: (page) => page.locator('form button[type=submit]').first().click(),
  },
  {
    name: 'topup-refused',
    address: '/panel/topup',
    as: 'user',
    dataOnly: true,
    act: async (page) => {
      await page.getByRole('main').getByRole('textbox').first().fill('NOT-A-CODE-OF-OURS');
      await page.keyboard.press('Enter');
    },
  },
  {
    name: 'toasts',
    address: '/panel/token',
    dataOnly: true,
    only: 'desktop',
    // Turned on or off, whatever the previous picture left.
    act: async (page, t) => {
      for (const at of [0, 1]) {
        await rowMenuOf(at)(page, t);
        await page.getByRole('menuitem').nth(1).click();
      }
    },
  },
];
