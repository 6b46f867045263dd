import { texts as app } from './en_US/app.ts';
import { texts as shared } from './en_US/shared.ts';
import { texts as usageCheck } from './en_US/usage-check.ts';
import { texts as refusal } from './en_US/refusal.ts';
import type { TextLoaders } from './texts.ts';

export const en_US: TextLoaders = {
  about: () => import('./en_US/about.ts'),
  analytics: () => import('./en_US/analytics.ts'),
  app: async () => ({ texts: app }),
  audit: () => import('./en_US/audit.ts'),
  books: () => import('./en_US/books.ts'),
  channel: () => import('./en_US/channel.ts'),
  channelBulk: () => import('./en_US/channel-bulk.ts'),
  channelForm: () => import('./en_US/channel-form.ts'),
  channelRoute: () => import('./en_US/channel-route.ts'),
  dashboard: () => import('./en_US/dashboard.ts'),
  elsewhere: () => import('./en_US/elsewhere.ts'),
  home: () => import('./en_US/home.ts'),
  jump: () => import('./en_US/jump.ts'),
  ledger: () => import('./en_US/ledger.ts'),
  log: () => import('./en_US/log.ts'),
  login: () => import('./en_US/login.ts'),
  mailCode: () => import('./en_US/mail-code.ts'),
  modelOwner: () => import('./en_US/model-owner.ts'),
  price: () => import('./en_US/price.ts'),
  pricing: () => import('./en_US/pricing.ts'),
  profile: () => import('./en_US/profile.ts'),
  quota: () => import('./en_US/quota.ts'),
  redemption: () => import('./en_US/redemption.ts'),
  refusal: async () => ({ texts: refusal }),
  register: () => import('./en_US/register.ts'),
  secondFactor: () => import('./en_US/second-factor.ts'),
  secondStep: () => import('./en_US/second-step.ts'),
  setting: () => import('./en_US/setting.ts'),
  settingNames: () => import('./en_US/setting-names.ts'),
  shared: async () => ({ texts: shared }),
  signInAgain: () => import('./en_US/sign-in-again.ts'),
  token: () => import('./en_US/token.ts'),
  topup: () => import('./en_US/topup.ts'),
  usageCheck: async () => ({ texts: usageCheck }),
  user: () => import('./en_US/user.ts'),
  userGroup: () => import('./en_US/user-group.ts'),
};
