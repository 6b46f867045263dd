import type { Texts } from '../texts.ts';

export const texts: Texts['tokenAdmin'] = {
  label: 'すべてのアカウントのトークン',
  text: 'トークンの検索、制限、無効化、移管ができます。キーは表示されません。',
  search: '名前、タグ、所有者、末尾4文字',
  owner: '所有者',
  ownedBy: '所有者：{{owner}}',
  editLimits: '制限を編集',
  showOwner: '所有者を表示',
  showCalls: '呼び出しを表示',
  emptyTitle: 'トークンはまだありません',
  emptyText: '管理するアカウントのトークンがここに表示されます。',
  cancel: 'キャンセル',
  transferMenu: '移管…',
  transferTitle: 'トークン {{name}} を移管しますか？',
  transferText: '現在の所有者は {{owner}} です。キーは変わらないため、プログラムはそのまま動作します。',
  transferNote:
    '以後の呼び出しは新しい所有者に請求され、新しい所有者はキーを表示できます。実行中の呼び出しは現在の所有者に請求されます。',
  transferAction: '移管',
  transferTo: '{{owner}} に移管',
  transferred: '{{name}} を {{owner}} に移管しました',
  newOwner: '新しい所有者',
  newOwnerHint: '名前、メールアドレス、IDを入力してください。',
  noAccount: '該当するアカウントがありません',
};
