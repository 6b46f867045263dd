import type { EntryTexts } from '../text-types.ts';

export const entries: EntryTexts = {
  topup: '在线充值',
  refund: '退款',
  returned: '退款未成功，额度退回',
  dispute: '付款争议',
  bought: '余额充值',
  gift: '新用户赠送',
  reward: '邀请奖励',
  code: '兑换码',
  closed: '用户注销了账号',
};
