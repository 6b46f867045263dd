import type { Texts } from '../texts.ts';

export const texts: Texts['login'] = {
  title: '{{name}} にログイン',
  username: 'ユーザー名またはメールアドレス',
  password: 'パスワード',
  show: 'パスワードを表示',
  hide: 'パスワードを隠す',
  submit: 'ログイン',
  wrong: 'ユーザー名またはパスワードが正しくありません。',
  wrongAgain: 'パスワードが違うか、このアカウントではログインできなくなっています。',
  usernameMissing: 'ユーザー名またはメールアドレスを入力してください。',
  passwordMissing: 'パスワードを入力してください。',
  ways: 'ログイン方法',
  byPassword: 'パスワード',
  byCode: 'メールの確認コード',
  forgot: 'パスワードを忘れた場合',
  noAccount: 'アカウントをお持ちでない方',
  toRegister: '新規登録',
  sent: 'このアドレスがアカウントに登録されていれば、コードを送信しました。3分間有効です。',
  wait: '人間であることを確認中です。少し待ってからもう一度お試しください。',
};
