import type { Page } from '@playwright/test';
import type { AccessKey, Passkey } from '@relay-hub/contract';
import type { Named } from './picture-data.ts';
import { type Act, answering, button, choose, first, inDialog, menuItem, until } from './screen-acts.ts';
import type { Screen } from './screen.ts';

/** Second step of signing in, reauthentication, and accounts at other services. */
export const accountScreens = (plain: Named['plain']): Screen[] =>
  [
    { name: 'login-second-step', ...onLogin, act: toSecondStep(plain) },
    {
      name: 'login-second-step-wrong',
      ...onLogin,
      act: first(toSecondStep(plain), button('secondStep:submit')),
    },
    { name: 'login-recovery-code', ...onLogin, act: first(toSecondStep(plain), button('secondStep:useRecovery')) },
    { name: 'login-wechat', ...onLogin, act: wayIn('main button', 'elsewhere:wechat') },
    { name: 'profile-two-step-menu', ...asPlain, act: button('secondFactor:more') },
    {
      name: 'profile-recovery-codes',
      ...asPlain,
      act: first(
        button('secondFactor:more'),
        menuItem('secondFactor:renew'),
        inDialog('secondFactor:renewAction'),
        until('secondFactor:codesText'),
      ),
    },
    { name: 'profile-passkeys', ...asRoot, answers: { '**/api/user/self/passkeys': { data: passkeys } } },
    { name: 'profile-access-keys', ...asRoot, answers: { '**/api/user/self/access_keys': { data: accessKeys } } },
    { name: 'profile-access-key', ...asRoot, act: button('profile:accessKeyAdd') },
    {
      name: 'profile-reminder',
      ...asRoot,
      act: (page: Page) => page.locator('[aria-labelledby=profile-security] button').nth(2).click(),
    },
    { name: 'profile-passkey', ...asRoot, act: button('secondFactor:passkeyAdd') },
    {
      name: 'profile-passkey-remove',
      ...asRoot,
      answers: { '**/api/user/self/passkeys': { data: passkeys } },
      act: first(lastMenuOf('profile-passkeys'), menuItem('secondFactor:passkeyRemove')),
    },
    { name: 'profile-wechat', ...asRoot, act: wayIn('[aria-labelledby=profile-bindings] li', 'elsewhere:wechat') },
    { name: 'profile-telegram', ...asRoot, act: wayIn('[aria-labelledby=profile-bindings] li', 'elsewhere:telegram') },
    {
      name: 'sign-in-again',
      address: '/panel/token',
      act: first(answering('**/api/token/**', 401), button('shared:refresh'), until('signInAgain:title')),
    },
    { name: 'proof', ...asRoot, answers: unproved, act: button('secondFactor:turnOn') },
    {
      name: 'proof-by-code',
      ...asPlain,
      answers: unproved,
      act: first(
        button('secondFactor:more'),
        menuItem('secondFactor:renew'),
        inDialog('secondFactor:renewAction'),
        choose('signInAgain:code'),
      ),
    },
  ].map((screen): Screen => ({ ...screen, dataOnly: true }));

const onLogin = { address: '/login', as: 'visitor' } as const;
const asRoot = { address: '/panel/profile' } as const;
const asPlain = { ...asRoot, as: 'user' } as const;

/** The recent sign-in does not count as reauthentication here. */
const unproved = { '**/api/user/self/totp/begin': 'unproved', '**/api/user/self/totp/recovery': 'unproved' } as const;

const now = Math.floor(Date.now() / 1000);
const accessKeys: AccessKey[] = [
  {
    id: 1,
    name: 'grafana',
    hint: 'rhk_4f1c••••9a02',
    scopes: ['read'],
    addresses: ['203.0.113.0/24'],
    created_time: 1_763_700_000,
    expired_time: -1,
    used_time: 1_763_790_000,
    used_ip: '203.0.113.17',
  },
  {
    id: 2,
    name: 'nightly price synchronisation',
    hint: 'rhk_b7d0••••41ee',
    scopes: ['read', 'channels', 'prices', 'money', 'logs'],
    addresses: [],
    created_time: 1_763_700_000,
    expired_time: 1_763_710_000,
    used_time: 0,
    used_ip: '',
  },
];

const passkeys: Passkey[] = [
  { id: 1, name: 'MacBook Pro', created_time: now - 9_000_000, used_time: now - 4000, synced: true, host: 'localhost' },
  {
    id: 2,
    name: 'The key on the ring with the long name, of the office',
    created_time: now - 90_000,
    used_time: 0,
    synced: false,
    host: 'hub.example.com',
  },
];

function toSecondStep({ username, password }: Named['plain']): Act {
  return async (page, t) => {
    await page.locator('input[name=username]').fill(username);
    await page.locator('input[name=password]').fill(password);
    await page.keyboard.press('Enter');
    await until('secondStep:text')(page, t);
  };
}

/** Clicks the button of a sign-in service. */
function wayIn(place: string, name: string): Act {
  return async (page, t) => {
    const entry = page.locator(place, { hasText: t(name) }).first();
    await (place.endsWith('button') ? entry : entry.getByRole('button')).click();
  };
}

/** Opens the menu of the last row in a card. */
function lastMenuOf(card: string): Act {
  return (page: Page) => page.locator(`[aria-labelledby=${card}] li [aria-haspopup=menu]`).last().click();
}
