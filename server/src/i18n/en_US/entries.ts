import type { EntryTexts } from '../text-types.ts';

export const entries: EntryTexts = {
  topup: 'Top-up',
  refund: 'Refund',
  returned: 'Refund refused, credit returned',
  dispute: 'Payment dispute',
  bought: 'top-up',
  gift: 'New account gift',
  reward: 'Invitation reward',
  code: 'Redemption code',
  closed: 'Account closed by its owner',
};
