import type { Texts } from '../texts.ts';

export const texts: Texts['tokenAdmin'] = {
  label: 'Tokens of all accounts',
  text: 'Find, limit, disable or transfer a token. Keys stay hidden.',
  search: 'Name, tag, owner or key end',
  owner: 'Owner',
  ownedBy: 'of {{owner}}',
  editLimits: 'Edit limits',
  showOwner: 'Show owner',
  showCalls: 'Show calls',
  emptyTitle: 'No tokens yet',
  emptyText: 'Tokens of the accounts that you manage appear here.',
  cancel: 'Cancel',
  transferMenu: 'Transfer…',
  transferTitle: 'Transfer token {{name}}?',
  transferText: 'It belongs to {{owner}}. The key stays the same, so programs keep working.',
  transferNote:
    'The new owner pays for all later calls and can reveal the key. Calls in progress are charged to the current owner.',
  transferAction: 'Transfer',
  transferTo: 'Transfer to {{owner}}',
  transferred: '{{name}} now belongs to {{owner}}',
  newOwner: 'New owner',
  newOwnerHint: 'Type a name, email address or id.',
  noAccount: 'No such account',
};
