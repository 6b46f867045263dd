import type { Texts } from '../texts.ts';

export const texts: Texts['invite'] = {
  title: '友だちを招待',
  get: '招待した人がメールを確認するか初めてチャージすると、{{amount}} を受け取れます。',
  shareLater_one: '招待した人が支払ったチャージごとに、その {{percent}}% を {{count}} 日後に受け取れます。',
  shareLater_other: '招待した人が支払ったチャージごとに、その {{percent}}% を {{count}} 日後に受け取れます。',
  shareAtOnce: '招待した人が支払ったチャージごとに、その {{percent}}% を受け取れます。',
  shareWaiting: '入金待ち：{{amount}}。',
  give: '招待された人は登録時に {{amount}} を受け取ります。',
  counts: 'これまでの招待：{{count}} 人。',
  countsEarned: 'これまでの招待：{{count}} 人、獲得 {{amount}}。',
  waiting_one: '{{count}} 人はメールの確認もチャージもまだです。',
  waiting_other: '{{count}} 人はメールの確認もチャージもまだです。',
  link: '招待リンク',
  copy: 'リンクをコピー',
  code: 'QR コード',
  codeText: 'このコードを読み取った人は、あなたの招待で登録できます。',
  share: '共有',
};
