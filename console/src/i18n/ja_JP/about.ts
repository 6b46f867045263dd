import type { Texts } from '../texts.ts';

export const texts: Texts['about'] = {
  title: 'サイト情報',
  what: '{{name}} は、複数の AI プロバイダーの API を OpenAI 互換の API ひとつにまとめます。ひとつの URL とひとつのトークンですべてのモデルを呼び出せ、1 回ごとの料金もきちんと計算できます。',
  how: '管理者は、このページを設定で差し替えられます（Markdown、HTML、または URL）。',
  versionTitle: 'バージョン',
  startedTitle: '起動日時',
  sourceTitle: 'ソースコード',
  formatsTitle: 'API 形式',
  formatsText:
    '公式クライアントの接続先を形式ごとの URL に変え、このサイトのトークンをキーにします。どの形式からもすべてのモデルを呼び出せます。',
  pagesTitle: 'このサイトのページ',
  prices: '全モデルの価格',
  status: '直近 90 日の稼働状況',
  reference: 'API リファレンス',
  failed: 'このページの内容を読み込めませんでした。',
};
