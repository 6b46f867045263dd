import type { Named } from './picture-data.ts';
import type { Screen } from './screen.ts';
import { openedScreens } from './screens-opened.ts';
import { accountScreens } from './screens-account.ts';
import { invitationScreens } from './screens-invitations.ts';
import { paymentScreens } from './screens-payments.ts';
import { taskScreens } from './screens-tasks.ts';
import { stateScreens } from './screens-states.ts';
import { button, openMenu, saveToken, toTheEnd } from './screen-acts.ts';

/** Every screen and its overlays. */
export const screensOf = (named: Named): Screen[] => [
  ...publicScreens,
  ...pagesOf(named),
  ...openedScreens(named),
  ...stateScreens,
  ...accountScreens(named.plain),
  ...invitationScreens(),
  ...paymentScreens(),
  ...taskScreens(),
  // Last, because their effects persist: a hidden sidebar, a new token.
  {
    name: 'sidebar-hidden',
    address: '/panel/channel',
    dataOnly: true,
    only: 'desktop',
    act: button('app:nav.collapse'),
  },
  { name: 'token-created', address: '/panel/token?edit=new', dataOnly: true, act: saveToken },
];

const publicScreens: Screen[] = [
  { name: 'home', address: '/', as: 'visitor' },
  { name: 'home-end', address: '/', as: 'visitor', act: toTheEnd },
  { name: 'about', address: '/about', as: 'visitor' },
  { name: 'price', address: '/price', as: 'visitor' },
  { name: 'login', address: '/login', as: 'visitor' },
  { name: 'register', address: '/register', as: 'visitor' },
  { name: 'reset', address: '/reset', as: 'visitor' },
  {
    name: 'new-password',
    address: '/user/reset?email=liu.wei@example.com&token=a-code-from-a-mail',
    as: 'visitor',
    dataOnly: true,
    answers: { '**/api/user/reset/check': { data: { valid: true } } },
  },
  { name: 'new-password-without-code', address: '/user/reset', as: 'visitor', dataOnly: true },
  { name: 'oauth-refused', address: '/oauth/github?error=access_denied', as: 'visitor' },
  { name: 'oauth-github', address: '/oauth/github?code=none&state=none', as: 'visitor' },
  { name: 'oauth-lark', address: '/oauth/lark', as: 'visitor', dataOnly: true },
  { name: 'oauth-oidc', address: '/oauth/oidc?code=none&state=none', as: 'visitor', dataOnly: true },
  { name: 'not-found', address: '/404', as: 'visitor', dataOnly: true },
  { name: 'jump', address: '/jump?url=opencat://team/join', as: 'visitor', dataOnly: true },
  { name: 'jump-invalid', address: '/jump', as: 'visitor', dataOnly: true },
  { name: 'public-menu', address: '/', as: 'visitor', dataOnly: true, only: 'phone', act: openMenu },
];

const pagesOf = ({ log, failedLog, retriedLog, audit, channels }: Named): Screen[] => [
  { name: 'dashboard', address: '/panel/dashboard' },
  { name: 'analytics', address: '/panel/analytics' },
  { name: 'analytics-end', address: '/panel/analytics', dataOnly: true, act: toTheEnd },
  { name: 'channel', address: '/panel/channel' },
  { name: 'channel-tags', address: '/panel/channel?view=tags' },
  { name: 'channel-new', address: '/panel/channel?edit=new', dataOnly: true },
  { name: 'channel-edit', address: '/panel/channel?edit=1', dataOnly: true },
  { name: 'channel-copy', address: '/panel/channel?copy=1&edit=new', dataOnly: true },
  { name: 'channel-tag-edit', address: '/panel/channel?view=tags&kin=openai', dataOnly: true },
  { name: 'channel-route', address: '/panel/channel?why=1', dataOnly: true },
  { name: 'channel-route-explained', address: '/panel/channel?why=1&why_model=gpt-4o', dataOnly: true },
  ...Object.entries(channels).map(([kind, id]): Screen => ({
    name: `channel-edit-${kind}`,
    address: `/panel/channel?edit=${id}`,
    dataOnly: true,
  })),
  { name: 'token', address: '/panel/token' },
  { name: 'token-new', address: '/panel/token?edit=new', dataOnly: true },
  { name: 'token-edit', address: '/panel/token?edit=1', dataOnly: true },
  { name: 'log', address: '/panel/log' },
  { name: 'log-detail', address: `/panel/log?id=${log}`, dataOnly: true },
  { name: 'log-detail-failed', address: `/panel/log?id=${failedLog}`, dataOnly: true },
  { name: 'log-detail-retried', address: `/panel/log?id=${retriedLog}`, dataOnly: true },
  { name: 'user', address: '/panel/user' },
  { name: 'user-new', address: '/panel/user?edit=new', dataOnly: true },
  { name: 'user-edit', address: '/panel/user?edit=2', dataOnly: true },
  { name: 'user-balance', address: '/panel/user?adjust=2', dataOnly: true },
  { name: 'user-group', address: '/panel/user_group' },
  { name: 'user-group-new', address: '/panel/user_group?edit=new', dataOnly: true },
  { name: 'user-group-edit', address: '/panel/user_group?edit=1', dataOnly: true },
  { name: 'pricing', address: '/panel/pricing' },
  { name: 'pricing-merged', address: '/panel/pricing?view=merged', dataOnly: true },
  { name: 'pricing-new', address: '/panel/pricing?edit=new', dataOnly: true },
  { name: 'pricing-edit', address: '/panel/pricing?edit=gpt-4o', dataOnly: true },
  { name: 'pricing-update', address: '/panel/pricing?open=update', dataOnly: true },
  { name: 'pricing-changes', address: '/panel/pricing?open=changes', dataOnly: true },
  { name: 'model-price', address: '/panel/model_price' },
  { name: 'model-owner', address: '/panel/model_ownedby' },
  { name: 'model-owner-new', address: '/panel/model_ownedby?edit=new', dataOnly: true },
  { name: 'model-owner-edit', address: '/panel/model_ownedby?edit=1', dataOnly: true },
  { name: 'redemption', address: '/panel/redemption' },
  { name: 'redemption-new', address: '/panel/redemption?edit=new', dataOnly: true },
  { name: 'redemption-edit', address: '/panel/redemption?edit=1', dataOnly: true },
  { name: 'topup', address: '/panel/topup' },
  { name: 'ledger', address: '/panel/ledger' },
  { name: 'ledger-adjust', address: '/panel/ledger?username=liu.wei&adjust=true', dataOnly: true },
  { name: 'books', address: '/panel/books' },
  { name: 'audit', address: '/panel/audit' },
  { name: 'audit-detail', address: `/panel/audit?id=${audit}`, dataOnly: true },
  { name: 'profile', address: '/panel/profile' },
  { name: 'profile-end', address: '/panel/profile', dataOnly: true, act: toTheEnd },
  { name: 'setting-operation', address: '/panel/setting', dataOnly: true },
  { name: 'setting-system', address: '/panel/setting?tab=system' },
  { name: 'setting-other', address: '/panel/setting?tab=other', dataOnly: true },
  { name: 'setting-history', address: '/panel/setting?history=all' },
  { name: 'setting-search', address: '/panel/setting?q=mail', dataOnly: true },
  { name: 'panel-not-found', address: '/panel/404', dataOnly: true },
  ...['dashboard', 'token', 'log', 'topup', 'ledger', 'profile', 'model_price', 'user'].map((page): Screen => ({
    name: `plain-${page}`,
    address: `/panel/${page}`,
    as: 'user',
    dataOnly: true,
  })),
];
