import type { Texts } from '../texts.ts';

export const texts: Texts['proof'] = {
  title: 'ご本人の確認',
  text: '重要な操作の前に確認します。確認後10分間は再度お尋ねしません。',
  passkey: 'パスキーで確認',
  or: 'または',
  way: '確認方法',
  password: 'パスワード',
  code: '確認コード',
  codeHint: '認証アプリに表示される、このアカウントの6桁の数字を入力してください。',
  passwordMissing: 'パスワードを入力してください。',
  codeMissing: '確認コードを入力してください。',
  wrong: '確認コードは6桁の数字です。',
  confirm: '確認',
  none: 'このアカウントにはパスワードもパスキーもありません。いったんログアウトしてログインし直し、10分以内に操作してください。',
};
