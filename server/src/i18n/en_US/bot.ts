import type { BotTexts } from '../text-types.ts';

export const bot: BotTexts = {
  menu: {
    bind: 'Connect your account',
    unbind: 'Disconnect your account',
    balance: 'Show your balance',
    recharge: 'Redeem a code',
    apikey: 'List your tokens',
    aff: 'Get your invitation link',
  },
  bound: 'Connected to the account {name}.',
  unbound: 'Disconnected.',
  notBound: 'No account is connected.',
  how: 'Open your profile on the site, select “Connect Telegram”, then send me the message shown there.',
  wrong: 'This code is wrong or has expired. Get a new one in your profile.',
  tooMany: 'Too many attempts. Try again later.',
  disabled: 'This account is disabled.',
  help: 'Commands:',
  balance: 'Account: {name}\nGroup: {group}\nBalance: {balance}\nUsed: {used}',
  sendCode: 'Reply to this message with the code.',
  redeemed: 'Redeemed. {credits} were added to your balance.',
  keys: 'Your tokens ({total}):',
  noKeys: 'You have no tokens yet. Create one on the site.',
  openKeys: 'Manage tokens on the site',
  invite: 'Invitation code: {code}\nInvitation link: {link}',
  page: 'Page {page} of {pages}',
};
