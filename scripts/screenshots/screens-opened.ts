import type { ChannelJob } from '@relay-hub/contract';
import type { Named } from './picture-data.ts';
import {
  backUp,
  button,
  choose,
  closeAccount,
  compareBooks,
  downloadBackup,
  fill,
  fillLastCall,
  first,
  flipSwitch,
  inDialog,
  makeAccessToken,
  menuButton,
  menuItem,
  openChip,
  openFilters,
  openMenu,
  patching,
  pointAtChart,
  press,
  rowMenu,
  rowMenuOf,
  search,
  submit,
  tickRows,
  toDashboard,
  toDrawerEnd,
  toTheEnd,
  unfold,
  until,
} from './screen-acts.ts';
import type { Screen } from './screen.ts';

/** Overlays without an address: menus, dialogs and filled forms. */
export const openedScreens = ({ channels, log, retriedLog }: Named): Screen[] =>
  [
    ...inShell,
    ...onChannels(channels),
    ...onLists,
    { name: 'log-detail-end', address: `/panel/log?id=${log}`, act: toDrawerEnd },
    { name: 'log-detail-retried-end', address: `/panel/log?id=${retriedLog}`, act: toDrawerEnd },
    ...onProfile,
    ...onSettings,
  ].map((screen): Screen => ({ ...screen, dataOnly: true }));

const inShell: Screen[] = [
  { name: 'palette', address: '/panel/token', act: press('Control+k') },
  { name: 'palette-found', address: '/panel/token', act: first(press('Control+k'), fill('open')) },
  { name: 'palette-id', address: '/panel/token', act: first(press('Control+k'), fillLastCall) },
  { name: 'palette-nothing', address: '/panel/token', act: first(press('Control+k'), fill('qqqqq')) },
  { name: 'menu', address: '/panel/log', only: 'phone', act: openMenu },
  { name: 'storage-full', address: '/panel/token', act: patching('**/api/user/self', { storage: 'full' }) },
  {
    name: 'notice',
    address: '/panel/dashboard',
    // Its name has the number of unread notifications.
    act: (page) => page.locator('header button[aria-haspopup=dialog]').last().click(),
  },
  { name: 'account-menu', address: '/panel/token', act: button('app:nav.account') },
  { name: 'language-menu', address: '/panel/token', only: 'desktop', act: button('app:language.title') },
];

/** The last test of all channels, with failures and channels that were left out. */
const lastTest: ChannelJob = {
  kind: 'test',
  state: 'done',
  total: 42,
  done: 42,
  succeeded: 35,
  failed: 2,
  skipped: 5,
  switched_off: 1,
  switched_on: 0,
  failures: [
    { id: 1, name: 'azure-eastus2-gpt4o', message: '401 Access denied due to invalid subscription key' },
    {
      id: 2,
      name: 'openai-compatible-gateway-of-the-singapore-office-backup-two',
      message: 'the connection was refused',
    },
  ],
  skips: [
    { id: 3, name: 'midjourney-proxy', reason: 'type' },
    { id: 4, name: 'everything-of-openrouter', reason: 'wildcards' },
    { id: 5, name: 'pictures', reason: 'models' },
    { id: 6, name: 'azure-speech', reason: 'unsupported' },
  ],
  started_time: Math.floor(Date.now() / 1000) - 300,
  ended_time: Math.floor(Date.now() / 1000) - 280,
};

const onChannels = (ids: Named['channels']): Screen[] => {
  const address = '/panel/channel';
  const pool = `${address}?edit=${ids.pool}`;
  const onlyPool = `${address}?keyword=anthropic-production`;
  const bulk = { address, only: 'desktop' } as const;
  return [
    { name: 'channel-view-end', address: `${address}?show=1`, act: first(until('activity:lastFailures'), toDrawerEnd) },
    { name: 'channel-edit-end', address: `${address}?edit=1`, act: toDrawerEnd },
    { name: 'channel-edit-pool-end', address: pool, act: toDrawerEnd },
    { name: 'channel-edit-zhipu-end', address: `${address}?edit=${ids.zhipu}`, act: toDrawerEnd },
    { name: 'channel-new-wrong', address: `${address}?edit=new`, act: submit },
    { name: 'channel-fetched', address: pool, act: inDialog('channelForm:models.fetch') },
    { name: 'channel-tested', address: pool, act: inDialog('channelForm:form.test') },
    { name: 'channel-leave', address: pool, act: first(fill('renamed'), press('Escape')) },
    { name: 'channel-menu', address, act: rowMenu },
    { name: 'channel-more', address, act: button('channel:more') },
    {
      name: 'channel-last-test',
      address,
      answers: { '**/api/channel/jobs': { data: [lastTest] } },
      act: first(button('channel:more'), menuItem('channel:job.last')),
    },
    { name: 'channel-edit-billing', address: `${address}?edit=1`, act: unfold('channelForm:form.billing') },
    { name: 'channel-columns', address, only: 'desktop', act: button('shared:columns') },
    { name: 'channel-filters', address, act: openFilters },
    { name: 'channel-chip', address, only: 'desktop', act: openChip() },
    { name: 'channel-test', address: onlyPool, act: first(rowMenu, menuItem('channel:test.models')) },
    {
      name: 'channel-check',
      address: onlyPool,
      act: first(rowMenu, menuItem('channel:test.models'), choose('channelBulk:check.checkTab')),
    },
    {
      name: 'channel-checked',
      address: onlyPool,
      act: first(
        rowMenu,
        menuItem('channel:test.models'),
        choose('channelBulk:check.checkTab'),
        inDialog('channelBulk:check.start'),
        until('channelBulk:check.sum'),
      ),
    },
    { name: 'channel-delete', address: onlyPool, act: first(rowMenu, menuItem('channel:delete.action')) },
    { name: 'channel-test-all', ...bulk, act: button('channel:test.all') },
    { name: 'channel-selected', ...bulk, act: tickRows },
    { name: 'channel-change', ...bulk, act: first(tickRows, button('channel:change.edit')) },
    {
      name: 'channel-change-tag',
      ...bulk,
      act: first(tickRows, button('channel:change.tag'), fill('a-new-tag')),
    },
    { name: 'channel-delete-many', ...bulk, act: first(tickRows, button('channel:delete.count')) },
    { name: 'channel-tag-menu', address: `${address}?view=tags`, act: rowMenu },
  ];
};

const onLists: Screen[] = [
  { name: 'token-menu', address: '/panel/token', act: rowMenu },
  { name: 'token-use', address: '/panel/token', act: menuButton('token:use') },
  {
    name: 'token-example',
    address: '/panel/token',
    act: first(menuButton('token:use'), menuItem('token:showExample')),
  },
  { name: 'token-connect', address: '/panel/token', act: button('token:connect') },
  { name: 'token-selected', address: '/panel/token', only: 'desktop', act: tickRows },
  { name: 'token-delete', address: '/panel/token', act: first(rowMenu, menuItem('token:remove')) },
  { name: 'token-rotate', address: '/panel/token', act: first(rowMenu, menuItem('token:rotateMenu')) },
  {
    name: 'token-transfer',
    address: '/panel/token?scope=all',
    act: first(rowMenu, menuItem('tokenAdmin:transferMenu')),
  },
  { name: 'token-new-wrong', address: '/panel/token?edit=new', act: submit },
  { name: 'log-find', address: '/panel/log', act: search('gpt') },
  { name: 'log-of-token', address: '/panel/log?token_id=1' },
  { name: 'log-filters', address: '/panel/log', act: openFilters },
  { name: 'log-time', address: '/panel/log', only: 'desktop', act: openChip() },
  { name: 'log-columns', address: '/panel/log', only: 'desktop', act: button('shared:columns') },
  { name: 'user-menu', address: '/panel/user', act: rowMenu },
  { name: 'user-delete', address: '/panel/user?keyword=member-2', act: first(rowMenu, menuItem('user:remove')) },
  { name: 'user-deleted', address: '/panel/user?deleted=1' },
  { name: 'user-restore', address: '/panel/user?deleted=1', act: rowMenu },
  { name: 'user-selected', address: '/panel/user', only: 'desktop', act: tickRows },
  { name: 'user-filters', address: '/panel/user', only: 'phone', act: openFilters },
  { name: 'user-edit-end', address: '/panel/user?edit=2', act: toDrawerEnd },
  { name: 'user-balance-end', address: '/panel/user?adjust=2', act: first(fill('25'), toDrawerEnd) },
  { name: 'user-group-menu', address: '/panel/user_group', act: rowMenu },
  { name: 'user-group-delete', address: '/panel/user_group', act: first(rowMenuOf(1), menuItem('userGroup:remove')) },
  { name: 'pricing-menu', address: '/panel/pricing', act: rowMenu },
  { name: 'pricing-selected', address: '/panel/pricing', only: 'desktop', act: tickRows },
  {
    name: 'pricing-multiply',
    address: '/panel/pricing',
    only: 'desktop',
    act: first(tickRows, button('pricing:multiply')),
  },
  { name: 'pricing-edit-end', address: '/panel/pricing?edit=gpt-4o', act: toDrawerEnd },
  { name: 'pricing-history', address: '/panel/pricing?edit=gpt-4o', act: inDialog('pricing:history') },
  { name: 'pricing-preview', address: '/panel/pricing?open=update', act: inDialog('pricing:look') },
  { name: 'redemption-menu', address: '/panel/redemption', act: rowMenu },
  { name: 'redemption-clear', address: '/panel/redemption', act: button('redemption:clear') },
  { name: 'redemption-new-wrong', address: '/panel/redemption?edit=new', act: submit },
  {
    name: 'redemption-created',
    address: '/panel/redemption?edit=new',
    act: first(fill('spring'), fill('5', 2), submit, until('redemption:createdTitle')),
  },
  { name: 'model-owner-menu', address: '/panel/model_ownedby', act: rowMenu },
  { name: 'audit-filters', address: '/panel/audit', act: openFilters },
  { name: 'ledger-filters', address: '/panel/ledger', act: openFilters },
  { name: 'books-compared', address: '/panel/books', act: compareBooks },
  {
    name: 'analytics-half-hour',
    address: '/panel/analytics',
    act: patching('**/api/analytics/usage?**', { early_minutes: 30 }),
  },
  { name: 'analytics-tip', address: '/panel/analytics', act: pointAtChart() },
  { name: 'analytics-tip-line', address: '/panel/analytics', act: pointAtChart(3) },
  { name: 'dashboard-tip', address: '/panel/dashboard', act: pointAtChart() },
  { name: 'analytics-table', address: '/panel/analytics', act: button('shared:asTable') },
  { name: 'dashboard-table', address: '/panel/dashboard', act: button('shared:asTable') },
];

const onProfile: Screen[] = [
  { name: 'profile-close', as: 'user' as const, act: toTheEnd },
  { name: 'profile-close-ask', as: 'user' as const, act: closeAccount },
  { name: 'profile-password', act: button('profile:passwordChange') },
  { name: 'profile-identity', only: 'phone' as const, act: button('profile:edit') },
  { name: 'profile-email', act: button('profile:emailBind') },
  { name: 'profile-two-step', act: button('secondFactor:turnOn') },
  {
    name: 'profile-access-token',
    act: makeAccessToken,
  },
].map((screen): Screen => ({ address: '/panel/profile', ...screen }));

const onSettings: Screen[] = [
  { name: 'setting-backup', address: '/panel/setting', act: backUp },
  { name: 'setting-backup-download', address: '/panel/setting', act: first(backUp, downloadBackup) },
  { name: 'setting-oidc', address: '/panel/setting#OIDCScopes' },
  { name: 'setting-old-rows', address: '/panel/setting#LogKeepDays' },
  { name: 'setting-kept-responses', address: '/panel/setting#ResponseStoreHours' },
  { name: 'setting-logo', address: '/panel/setting#Logo' },
  { name: 'setting-channel-choice', address: '/panel/setting#ChannelPreference' },
  { name: 'setting-changed', address: '/panel/setting', act: flipSwitch },
  { name: 'setting-review', address: '/panel/setting', act: first(flipSwitch, button('setting:reviewChanges')) },
  { name: 'setting-leave', address: '/panel/setting', act: first(flipSwitch, toDashboard) },
];
