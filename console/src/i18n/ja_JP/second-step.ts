import type { Texts } from '../texts.ts';

export const texts: Texts['secondStep'] = {
  title: '2段階認証',
  text: '認証アプリに表示される、このアカウントの6桁の数字を入力してください。',
  recoveryText: '未使用のリカバリーコードを入力してください。それぞれ1回限りです。',
  code: '確認コード',
  recovery: 'リカバリーコード',
  codeMissing: '6桁の確認コードを入力してください。',
  recoveryMissing: 'リカバリーコードを入力してください。',
  submit: '確認してログイン',
  useRecovery: 'リカバリーコードを使う',
  useCode: '確認コードを使う',
  back: 'パスワードの入力に戻る',
  passkey: 'パスキーでログイン',
  refused: 'このアカウントは現在ログインできません。',
};
