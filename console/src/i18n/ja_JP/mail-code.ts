import type { Texts } from '../texts.ts';

export const texts: Texts['mailCode'] = {
  email: 'メールアドレス',
  missing: 'メールアドレスを入力してください。',
  code: '確認コード',
  send: 'コードを送信',
  again: '{{seconds}}秒後に再送信',
  sent: '{{email}} に確認コードを送信しました。10分間有効です。',
};
