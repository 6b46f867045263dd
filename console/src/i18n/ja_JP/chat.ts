import type { Texts } from '../texts.ts';

export const texts: Texts['chat'] = {
  none: 'チャットアプリがありません',
  noneText: '管理者が設定でチャットのリンクを追加できます。',
  text: 'トークンとこのサイトのアドレスを入れて {{place}} で開きます。',
  client: 'チャットアプリ',
  token: 'トークン',
  tokenHint: '開くと、{{place}} にこのトークンのキーが渡ります。',
  keyInQuery: 'このリンクはアドレスのクエリにキーが入るため、相手サイトのサーバーログに残ります。',
  show: 'ここで開く',
  open: '新しいウィンドウで開く',
  noToken: '有効なトークンがありません',
  noTokenText: 'チャットアプリはトークンでこのサイトを呼び出します。先に作成してください。',
  create: 'トークンを作成',
  blocked: 'このページを読み込んだときの規則が使われています。再読み込みすると表示できます。',
  reload: '再読み込み',
};
