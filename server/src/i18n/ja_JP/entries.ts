import type { EntryTexts } from '../text-types.ts';

export const entries: EntryTexts = {
  topup: 'チャージ',
  refund: '返金',
  returned: '返金が拒否され、残高に戻しました',
  dispute: '支払いの異議申し立て',
  bought: '残高チャージ',
  gift: '新規登録特典',
  reward: '招待特典',
  code: '引換コード',
  closed: '本人がアカウントを閉鎖しました',
};
