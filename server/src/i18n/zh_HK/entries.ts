import type { EntryTexts } from '../text-types.ts';

export const entries: EntryTexts = {
  topup: '線上充值',
  refund: '退款',
  returned: '退款未成功，額度退回',
  dispute: '付款爭議',
  bought: '餘額充值',
  gift: '新用戶贈送',
  reward: '邀請獎勵',
  code: '兌換碼',
  closed: '用戶已註銷帳戶',
};
