import type { Texts } from '../texts.ts';

export const texts: Texts['jump'] = {
  opening: '{{name}}を開いています…',
  hint: '何も起こらないときは、下のボタンを押してください。この端末に{{name}}がインストールされている必要があります。',
  open: '{{name}}を開く',
  invalid: 'リンクが無効です',
  cause: 'ここから開けるのはチャットアプリのリンクだけです。このリンクは該当しないため、開きませんでした。',
  home: 'ホームへ',
};
