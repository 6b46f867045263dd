import type { Language } from '@relay-hub/contract';

/** Texts of orders in logs, and the description that payers see at the gateway. */
export const orderTexts: Record<
  Language,
  { topup: string; refund: string; returned: string; dispute: string; bought: string }
> = {
  zh_CN: {
    topup: '在线充值',
    refund: '退款',
    returned: '退款未成功，额度退回',
    dispute: '付款争议',
    bought: '余额充值',
  },
  zh_HK: {
    topup: '線上充值',
    refund: '退款',
    returned: '退款未成功，額度退回',
    dispute: '付款爭議',
    bought: '餘額充值',
  },
  en_US: {
    topup: 'Top-up',
    refund: 'Refund',
    returned: 'Refund refused, credit returned',
    dispute: 'Payment dispute',
    bought: 'top-up',
  },
  ja_JP: {
    topup: 'チャージ',
    refund: '返金',
    returned: '返金が拒否され、残高に戻しました',
    dispute: '支払いの異議申し立て',
    bought: '残高チャージ',
  },
};
