import type { Page } from '@playwright/test';

/** One thing to look at: an address, and what is done there before the picture is taken. */
export interface Screen {
  name: string;
  address: string;
  /** Seen by whoever has not signed in. */
  signedOut?: true;
  /** There is nothing in it without data: it has pictures of the full hub only. */
  dataOnly?: true;
  only?: 'desktop' | 'phone';
  act?: (page: Page) => Promise<void>;
}

/** Records of the seeded hub that some addresses name. */
export interface Named {
  log: number;
  failedLog: number;
  audit: number;
}

/** Every screen, with what opens over it. */
export const screensOf = ({ log, failedLog, audit }: Named): Screen[] => [
  { name: 'home', address: '/', signedOut: true },
  { name: 'about', address: '/about', signedOut: true },
  { name: 'price', address: '/price', signedOut: true },
  { name: 'login', address: '/login', signedOut: true },
  { name: 'register', address: '/register', signedOut: true },
  { name: 'reset', address: '/reset', signedOut: true },
  {
    name: 'new-password',
    address: '/user/reset?email=liu.wei@example.com&token=a-code-from-a-mail',
    signedOut: true,
    dataOnly: true,
  },
  { name: 'new-password-without-code', address: '/user/reset', signedOut: true, dataOnly: true },
  { name: 'oauth-refused', address: '/oauth/github?error=access_denied', signedOut: true },
  { name: 'oauth-github', address: '/oauth/github?code=none&state=none', signedOut: true },
  { name: 'oauth-lark', address: '/oauth/lark', signedOut: true, dataOnly: true },
  { name: 'oauth-oidc', address: '/oauth/oidc?code=none&state=none', signedOut: true, dataOnly: true },
  { name: 'not-found', address: '/404', signedOut: true, dataOnly: true },
  { name: 'jump', address: '/jump?url=opencat://team/join', signedOut: true, dataOnly: true },
  { name: 'jump-invalid', address: '/jump', signedOut: true, dataOnly: true },
  { name: 'dashboard', address: '/panel/dashboard' },
  { name: 'analytics', address: '/panel/analytics' },
  { name: 'channel', address: '/panel/channel' },
  { name: 'channel-tags', address: '/panel/channel?view=tags' },
  { name: 'channel-new', address: '/panel/channel?edit=new', dataOnly: true },
  { name: 'channel-edit', address: '/panel/channel?edit=1', dataOnly: true },
  { name: 'token', address: '/panel/token' },
  { name: 'token-new', address: '/panel/token?edit=new', dataOnly: true },
  { name: 'log', address: '/panel/log' },
  { name: 'log-detail', address: `/panel/log?id=${log}`, dataOnly: true },
  { name: 'log-detail-failed', address: `/panel/log?id=${failedLog}`, dataOnly: true },
  { name: 'user', address: '/panel/user' },
  { name: 'user-new', address: '/panel/user?edit=new', dataOnly: true },
  { name: 'user-edit', address: '/panel/user?edit=2', dataOnly: true },
  { name: 'user-balance', address: '/panel/user?adjust=2', dataOnly: true },
  { name: 'user-group', address: '/panel/user_group' },
  { name: 'user-group-edit', address: '/panel/user_group?edit=1', dataOnly: true },
  { name: 'pricing', address: '/panel/pricing' },
  { name: 'pricing-merged', address: '/panel/pricing?view=merged', dataOnly: true },
  { name: 'pricing-edit', address: '/panel/pricing?edit=gpt-4o', dataOnly: true },
  { name: 'pricing-update', address: '/panel/pricing?open=update', dataOnly: true },
  { name: 'pricing-changes', address: '/panel/pricing?open=changes', dataOnly: true },
  { name: 'model-price', address: '/panel/model_price' },
  { name: 'model-owner', address: '/panel/model_ownedby' },
  { name: 'model-owner-new', address: '/panel/model_ownedby?edit=new', dataOnly: true },
  { name: 'model-owner-edit', address: '/panel/model_ownedby?edit=1', dataOnly: true },
  { name: 'redemption', address: '/panel/redemption' },
  { name: 'redemption-new', address: '/panel/redemption?edit=new', dataOnly: true },
  { name: 'topup', address: '/panel/topup' },
  { name: 'ledger', address: '/panel/ledger' },
  { name: 'ledger-adjust', address: '/panel/ledger?username=liu.wei&adjust=true', dataOnly: true },
  { name: 'books', address: '/panel/books' },
  { name: 'audit', address: '/panel/audit' },
  { name: 'audit-detail', address: `/panel/audit?id=${audit}`, dataOnly: true },
  { name: 'profile', address: '/panel/profile' },
  { name: 'profile-end', address: '/panel/profile', dataOnly: true, act: toTheEnd },
  { name: 'setting-operation', address: '/panel/setting', dataOnly: true },
  { name: 'setting-changed', address: '/panel/setting', dataOnly: true, act: flipSwitch },
  { name: 'setting-system', address: '/panel/setting?tab=system' },
  { name: 'setting-other', address: '/panel/setting?tab=other', dataOnly: true },
  { name: 'setting-history', address: '/panel/setting?history=all' },
  { name: 'panel-not-found', address: '/panel/404', dataOnly: true },
  { name: 'palette', address: '/panel/token', dataOnly: true, act: (page) => page.keyboard.press('Control+k') },
  { name: 'menu', address: '/panel/log', dataOnly: true, only: 'phone', act: openMenu },
  { name: 'public-menu', address: '/', signedOut: true, dataOnly: true, only: 'phone', act: openMenu },
  // Last, because it adds to the list of tokens.
  { name: 'token-created', address: '/panel/token?edit=new', dataOnly: true, act: saveToken },
];

function toTheEnd(page: Page): Promise<void> {
  return page.evaluate(() => globalThis.scrollTo(0, document.documentElement.scrollHeight));
}

/** The first button of the page's head, whatever it is called in the language of the picture. */
const openMenu = (page: Page): Promise<void> => page.locator('header button[aria-expanded]').first().click();

const flipSwitch = (page: Page): Promise<void> => page.getByRole('switch').first().click();

async function saveToken(page: Page): Promise<void> {
  await page.getByRole('dialog').getByRole('textbox').first().fill('my-first-agent');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('dialog').getByRole('code').or(page.locator('dialog pre, [role=dialog] pre')).first().waitFor();
}
