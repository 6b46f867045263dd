import { texts as app } from './zh_CN/app.ts';
import { texts as shared } from './zh_CN/shared.ts';
import { texts as usageCheck } from './zh_CN/usage-check.ts';
import { texts as refusal } from './zh_CN/refusal.ts';

/** Loaders of each screen's texts, in every language the same ones. `app` and `shared` are on nearly every page; small ones come with them to save a request. */
export const zh_CN = {
  about: () => import('./zh_CN/about.ts'),
  analytics: () => import('./zh_CN/analytics.ts'),
  app: async () => ({ texts: app }),
  audit: () => import('./zh_CN/audit.ts'),
  books: () => import('./zh_CN/books.ts'),
  channel: () => import('./zh_CN/channel.ts'),
  channelBulk: () => import('./zh_CN/channel-bulk.ts'),
  channelForm: () => import('./zh_CN/channel-form.ts'),
  channelRoute: () => import('./zh_CN/channel-route.ts'),
  dashboard: () => import('./zh_CN/dashboard.ts'),
  elsewhere: () => import('./zh_CN/elsewhere.ts'),
  home: () => import('./zh_CN/home.ts'),
  jump: () => import('./zh_CN/jump.ts'),
  ledger: () => import('./zh_CN/ledger.ts'),
  log: () => import('./zh_CN/log.ts'),
  login: () => import('./zh_CN/login.ts'),
  mailCode: () => import('./zh_CN/mail-code.ts'),
  modelOwner: () => import('./zh_CN/model-owner.ts'),
  price: () => import('./zh_CN/price.ts'),
  pricing: () => import('./zh_CN/pricing.ts'),
  profile: () => import('./zh_CN/profile.ts'),
  quota: () => import('./zh_CN/quota.ts'),
  redemption: () => import('./zh_CN/redemption.ts'),
  refusal: async () => ({ texts: refusal }),
  register: () => import('./zh_CN/register.ts'),
  secondFactor: () => import('./zh_CN/second-factor.ts'),
  secondStep: () => import('./zh_CN/second-step.ts'),
  setting: () => import('./zh_CN/setting.ts'),
  settingNames: () => import('./zh_CN/setting-names.ts'),
  shared: async () => ({ texts: shared }),
  signInAgain: () => import('./zh_CN/sign-in-again.ts'),
  token: () => import('./zh_CN/token.ts'),
  topup: () => import('./zh_CN/topup.ts'),
  usageCheck: async () => ({ texts: usageCheck }),
  user: () => import('./zh_CN/user.ts'),
  userGroup: () => import('./zh_CN/user-group.ts'),
};
