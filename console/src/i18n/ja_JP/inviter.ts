import type { Texts } from '../texts.ts';

export const texts: Texts['inviter'] = {
  title: '招待',
  text: '他の人を招待したユーザーと、自分自身を招待している疑いのある兆候。',
  users: 'ユーザー',
  search: 'ID または名前',
  inviter: '招待者',
  invited: '招待数',
  rewarded: '報酬済み',
  earned: '報酬額',
  sameAddress: '同じアドレス',
  sameDay: '1 日の最多',
  signs: '兆候',
  suspicious: '疑わしいもののみ',
  last: '最後の招待',
  reason: { same_address: '同じアドレス', same_day: '1 日に多数' },
  invitedCount: '招待 {{count}} 人',
  showInvited: '招待されたアカウントを表示',
  showAccount: '招待者のアカウントを表示',
  showLedger: '台帳を表示',
  emptyTitle: '招待はまだありません',
  emptyText: 'ユーザーはチャージ画面で招待リンクを共有できます。そこから登録があると、招待者がここに表示されます。',
};
