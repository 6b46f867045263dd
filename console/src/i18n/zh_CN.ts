/** Where each screen's texts come from; the other languages must have the same ones. */
export const zh_CN = {
  about: () => import('./zh_CN/about.ts'),
  app: () => import('./zh_CN/app.ts'),
  channel: () => import('./zh_CN/channel.ts'),
  dashboard: () => import('./zh_CN/dashboard.ts'),
  home: () => import('./zh_CN/home.ts'),
  log: () => import('./zh_CN/log.ts'),
  login: () => import('./zh_CN/login.ts'),
  shared: () => import('./zh_CN/shared.ts'),
  token: () => import('./zh_CN/token.ts'),
};
