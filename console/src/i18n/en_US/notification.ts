import type { Texts } from '../texts.ts';

export const texts: Texts['notification'] = {
  title: 'Notifications',
  readAll: 'Mark all as read',
  unread: 'Unread:',
  channelOff: 'Channel {{name}} was disabled automatically',
  channelOn: 'Channel {{name}} is enabled again',
  keyOff: 'Key {{key}} of channel {{name}} was disabled automatically',
  keyOn: 'Key {{key}} of channel {{name}} is enabled again',
  usage: 'Channel {{name}} reported implausible usage',
  usageText: '{{model}}: {{reported}} reported, {{charged}} charged',
  order: 'Order {{number}} needs attention',
  backupFailed: 'Backup failed',
  refusals: 'Many calls of {{name}} are refused: {{calls}} within an hour',
  balanceLow: 'Your balance is low: {{amount}} left',
  limitNear: 'A limit of token {{token}} is nearly used up',
  limitText: '{{used}} of {{limit}} used',
  tokenExpires: 'Token {{token}} expires on {{date}}',
  planRenews: '{{plan}} renews on {{date}} for {{price}}',
  planMissing: 'The balance is {{amount}} short',
};
