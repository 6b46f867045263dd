import type { BotTexts } from '../text-types.ts';

export const bot: BotTexts = {
  menu: {
    bind: 'アカウントを連携',
    unbind: '連携を解除',
    balance: '残高を表示',
    recharge: '引き換えコードを使う',
    apikey: 'トークンの一覧',
    aff: '招待リンク',
  },
  bound: 'アカウント {name} と連携しました。',
  unbound: '連携を解除しました。',
  notBound: '連携しているアカウントはありません。',
  how: 'サイトのプロフィールで「Telegram を連携」を押し、表示されたメッセージを送ってください。',
  wrong: 'このコードは正しくないか、期限が切れています。プロフィールで新しいコードを取得してください。',
  tooMany: '操作の回数が多すぎます。しばらくしてからお試しください。',
  disabled: 'このアカウントは無効になっています。',
  help: '使えるコマンド：',
  balance: 'アカウント：{name}\nグループ：{group}\n残高：{balance}\n使用済み：{used}',
  sendCode: 'このメッセージに返信する形で、コードを送ってください。',
  redeemed: '引き換えました。{credits} が残高に加わりました。',
  keys: 'トークン（{total} 件）：',
  noKeys: 'トークンはまだありません。サイトで作成できます。',
  openKeys: 'サイトでトークンを管理',
  invite: '招待コード：{code}\n招待リンク：{link}',
  page: '{page} / {pages} ページ',
};
