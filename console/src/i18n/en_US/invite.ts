import type { Texts } from '../texts.ts';

export const texts: Texts['invite'] = {
  title: 'Invite a friend',
  get: 'You get {{amount}} when they verify an email or top up for the first time.',
  shareLater_one: 'You get {{percent}}% of each of their paid top-ups, {{count}} day later.',
  shareLater_other: 'You get {{percent}}% of each of their paid top-ups, {{count}} days later.',
  shareAtOnce: 'You get {{percent}}% of each of their paid top-ups.',
  shareWaiting: '{{amount}} waiting.',
  give: 'They get {{amount}} when they register.',
  counts: '{{count}} invited.',
  countsEarned: '{{count}} invited, {{amount}} earned.',
  waiting_one: '{{count}} invited account has not verified an email or topped up yet.',
  waiting_other: '{{count}} invited accounts have not verified an email or topped up yet.',
  link: 'Invitation link',
  copy: 'Copy link',
  code: 'QR code',
  codeText: 'People who scan the code register with your invitation.',
  share: 'Share',
};
