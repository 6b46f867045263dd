import type { Texts } from '../texts.ts';

export const texts: Texts['about'] = {
  title: 'サイト情報',
  what: '{{name}} は、複数の AI プロバイダーの API を OpenAI 互換の API ひとつにまとめます。ひとつの URL とひとつのトークンですべてのモデルを呼び出せ、1 回ごとの料金もきちんと計算できます。',
  how: '管理者は、このページを設定で差し替えられます（Markdown、HTML、または URL）。',
  versionTitle: 'バージョン',
  startedTitle: '起動日時',
  sourceTitle: 'ソースコード',
  failed: 'このページの内容を読み込めませんでした。',
};
