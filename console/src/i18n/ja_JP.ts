import { texts as app } from './ja_JP/app.ts';
import { texts as shared } from './ja_JP/shared.ts';
import { texts as usageCheck } from './ja_JP/usage-check.ts';
import { texts as refusal } from './ja_JP/refusal.ts';
import type { TextLoaders } from './texts.ts';

export const ja_JP: TextLoaders = {
  about: () => import('./ja_JP/about.ts'),
  analytics: () => import('./ja_JP/analytics.ts'),
  app: async () => ({ texts: app }),
  audit: () => import('./ja_JP/audit.ts'),
  books: () => import('./ja_JP/books.ts'),
  channel: () => import('./ja_JP/channel.ts'),
  channelBulk: () => import('./ja_JP/channel-bulk.ts'),
  channelForm: () => import('./ja_JP/channel-form.ts'),
  channelRoute: () => import('./ja_JP/channel-route.ts'),
  dashboard: () => import('./ja_JP/dashboard.ts'),
  elsewhere: () => import('./ja_JP/elsewhere.ts'),
  home: () => import('./ja_JP/home.ts'),
  jump: () => import('./ja_JP/jump.ts'),
  ledger: () => import('./ja_JP/ledger.ts'),
  log: () => import('./ja_JP/log.ts'),
  login: () => import('./ja_JP/login.ts'),
  mailCode: () => import('./ja_JP/mail-code.ts'),
  modelOwner: () => import('./ja_JP/model-owner.ts'),
  price: () => import('./ja_JP/price.ts'),
  pricing: () => import('./ja_JP/pricing.ts'),
  profile: () => import('./ja_JP/profile.ts'),
  quota: () => import('./ja_JP/quota.ts'),
  redemption: () => import('./ja_JP/redemption.ts'),
  refusal: async () => ({ texts: refusal }),
  register: () => import('./ja_JP/register.ts'),
  secondFactor: () => import('./ja_JP/second-factor.ts'),
  secondStep: () => import('./ja_JP/second-step.ts'),
  setting: () => import('./ja_JP/setting.ts'),
  settingNames: () => import('./ja_JP/setting-names.ts'),
  shared: async () => ({ texts: shared }),
  signInAgain: () => import('./ja_JP/sign-in-again.ts'),
  token: () => import('./ja_JP/token.ts'),
  topup: () => import('./ja_JP/topup.ts'),
  usageCheck: async () => ({ texts: usageCheck }),
  user: () => import('./ja_JP/user.ts'),
  userGroup: () => import('./ja_JP/user-group.ts'),
};
