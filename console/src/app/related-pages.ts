/** Our pages by the name that a page has in the consoles of new-api and one-api, where it differs. */
const renamed: Readonly<Record<string, string>> = {
  '': 'dashboard',
  detail: 'dashboard',
  personal: 'profile',
  models: 'model_price',
};
const same = new Set(
  'dashboard channel token log redemption user setting topup profile midjourney task playground'.split(' '),
);
const ours = (name: string): string => `/panel/${renamed[name] ?? name}`;

/** Pages of one-hub, new-api and one-api that have no counterpart here. */
const absent =
  /^\/(?:panel\/(?:invoice|model_info|multi_user_stats|system_info|safe_tools|user_agreement)|console\/(?:deployment|subscription|chat)|setup|chat2link|user-agreement|privacy-policy)(?:\/|$)/;

/** Where the page of a related program is here; '' if this version lacks it, undefined for an unknown address. */
export function relatedPage(path: string): string | undefined {
  if (absent.test(path)) return '';
  if (/^\/pricing\/?$/.test(path)) return '/price';
  const [, inConsole, name] = /^\/(console(?=\/|$)\/?)?([a-z_]*)\/?$/.exec(path) ?? [];
  if (name === undefined) return undefined;
  return same.has(name) || (inConsole !== undefined && Object.hasOwn(renamed, name)) ? ours(name) : undefined;
}
