import type { Texts } from '../texts.ts';

export const texts: Texts['inviter'] = {
  title: 'Invitations',
  text: 'Referrals, and signs of self-referral.',
  users: 'Users',
  search: 'ID or name',
  inviter: 'Inviter',
  invited: 'Invited',
  rewarded: 'Rewarded',
  earned: 'Earned',
  sameAddress: 'Same address',
  sameDay: 'Busiest day',
  signs: 'Signs',
  suspicious: 'Suspicious only',
  last: 'Last invitation',
  reason: { same_address: 'Same address', same_day: 'Many in one day' },
  invitedCount: '{{count}} invited',
  showInvited: 'Show invited accounts',
  showAccount: 'Show account of inviter',
  showLedger: 'Show ledger',
  emptyTitle: 'No invitations yet',
  emptyText: 'Users share their link on the top-up page. Inviters appear here once someone registers with it.',
};
