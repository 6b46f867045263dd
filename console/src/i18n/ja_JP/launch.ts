import type { Texts } from '../texts.ts';

export const texts: Texts['launch'] = {
  title: '公開する前に',
  progress: '{{total}} 件中 {{done}} 件完了',
  hide: '今後表示しない',
  skip: '不要',
  need: 'やはり必要',
  skipOf: '{{name}}: 不要にする',
  needOf: '{{name}}: 必要に戻す',
  skipped: '不要に設定済み',
  open: '開く',
  openOf: '{{name}}: 開く',
  items: {
    address: {
      title: 'サーバーアドレス',
      open: 'メールのリンクやコールバックに公開アドレスが必要です。',
      done: '設定済み',
      open_link: 'アドレスを設定',
    },
    tls: {
      title: 'HTTPS',
      open: 'キーやパスワードを平文で送らないでください。',
      done: 'TLS で提供しています',
      open_link: 'https のアドレスを設定',
    },
    mail: {
      title: 'メール',
      open: 'サインインコードやパスワードの再設定に必要です。',
      done: '設定済み',
      open_link: 'メールを設定',
    },
    backup: {
      title: 'バックアップ',
      open: '予定がないか、前回が失敗したか、古くなっています。',
      done: 'バックアップしています',
      open_link: 'バックアップを設定',
    },
    gift: {
      title: '新規ユーザーの残高',
      open: '残高がないと、新規ユーザーは何も試せません。',
      done: '決定済み',
      open_link: '残高を設定',
    },
    prices: {
      title: '価格',
      open_one: 'チャネルの {{count}} 個のモデルに個別の価格がありません。',
      open_other: 'チャネルの {{count}} 個のモデルに個別の価格がありません。',
      done: 'すべてのモデルに価格があります',
      open_link: '価格を開く',
    },
    fees: {
      title: '料金と祝日',
      open_one: 'チャネルで使用中の価格{{count}}件に、ツールの料金がないか、祝日が尽きます。',
      open_other: 'チャネルで使用中の価格{{count}}件に、ツールの料金がないか、祝日が尽きます。',
      done: '使用中の価格はすべて完全です',
      open_link: '価格を補う',
    },
    gateway: {
      title: '支払い',
      open: 'ユーザーはまだチャージできません。',
      done: 'ユーザーはチャージできます',
      open_link: '決済を追加',
    },
    alerts: {
      title: '通知',
      open: 'メール、チャット、Webhook のいずれかでテストメッセージを送り、届いたことを確認してください。',
      done: 'アラートが届きます',
      open_link: 'アラートを設定',
    },
    store: {
      title: '応答の保存',
      open: '保存しないと、提供元が応答を保存しないモデルでは、AI SDK などのエージェントが二度目のやり取りで失敗します。',
      done: '応答を一定時間保存します',
      open_link: '時間を設定',
    },
  },
};
