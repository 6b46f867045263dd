import { texts as app } from './zh_HK/app.ts';
import { texts as shared } from './zh_HK/shared.ts';
import { texts as usageCheck } from './zh_HK/usage-check.ts';
import { texts as refusal } from './zh_HK/refusal.ts';
import type { TextLoaders } from './texts.ts';

export const zh_HK: TextLoaders = {
  about: () => import('./zh_HK/about.ts'),
  analytics: () => import('./zh_HK/analytics.ts'),
  app: async () => ({ texts: app }),
  audit: () => import('./zh_HK/audit.ts'),
  books: () => import('./zh_HK/books.ts'),
  channel: () => import('./zh_HK/channel.ts'),
  channelBulk: () => import('./zh_HK/channel-bulk.ts'),
  channelForm: () => import('./zh_HK/channel-form.ts'),
  channelRoute: () => import('./zh_HK/channel-route.ts'),
  dashboard: () => import('./zh_HK/dashboard.ts'),
  elsewhere: () => import('./zh_HK/elsewhere.ts'),
  home: () => import('./zh_HK/home.ts'),
  jump: () => import('./zh_HK/jump.ts'),
  ledger: () => import('./zh_HK/ledger.ts'),
  log: () => import('./zh_HK/log.ts'),
  login: () => import('./zh_HK/login.ts'),
  mailCode: () => import('./zh_HK/mail-code.ts'),
  modelOwner: () => import('./zh_HK/model-owner.ts'),
  price: () => import('./zh_HK/price.ts'),
  pricing: () => import('./zh_HK/pricing.ts'),
  profile: () => import('./zh_HK/profile.ts'),
  quota: () => import('./zh_HK/quota.ts'),
  redemption: () => import('./zh_HK/redemption.ts'),
  refusal: async () => ({ texts: refusal }),
  register: () => import('./zh_HK/register.ts'),
  secondFactor: () => import('./zh_HK/second-factor.ts'),
  secondStep: () => import('./zh_HK/second-step.ts'),
  setting: () => import('./zh_HK/setting.ts'),
  settingNames: () => import('./zh_HK/setting-names.ts'),
  shared: async () => ({ texts: shared }),
  signInAgain: () => import('./zh_HK/sign-in-again.ts'),
  token: () => import('./zh_HK/token.ts'),
  topup: () => import('./zh_HK/topup.ts'),
  usageCheck: async () => ({ texts: usageCheck }),
  user: () => import('./zh_HK/user.ts'),
  userGroup: () => import('./zh_HK/user-group.ts'),
};
