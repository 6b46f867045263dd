import type { TextLoaders } from './texts.ts';

export const en_US: TextLoaders = {
  about: () => import('./en_US/about.ts'),
  app: () => import('./en_US/app.ts'),
  channel: () => import('./en_US/channel.ts'),
  dashboard: () => import('./en_US/dashboard.ts'),
  home: () => import('./en_US/home.ts'),
  log: () => import('./en_US/log.ts'),
  login: () => import('./en_US/login.ts'),
  shared: () => import('./en_US/shared.ts'),
  token: () => import('./en_US/token.ts'),
};
