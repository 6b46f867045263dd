import type { Texts } from '../texts.ts';

export const texts: Texts['chat'] = {
  none: 'No chat clients',
  noneText: 'An administrator can add chat links in the settings.',
  text: 'Opens at {{place}} with your token and the address of this site filled in.',
  client: 'Chat client',
  token: 'Token',
  tokenHint: 'Once opened, {{place}} has the key of this token.',
  keyInQuery: 'This link has the key in the query of its address, so it ends up in that site’s server log.',
  show: 'Open here',
  open: 'Open in a new window',
  noToken: 'No enabled token yet',
  noTokenText: 'Chat clients use a token to call this site. Create one first.',
  create: 'Create token',
  blocked: 'The browser still uses the rules from when this page was loaded. Reload to show the client.',
  reload: 'Reload page',
};
