import type { Texts } from '../texts.ts';

export const texts: Texts['jump'] = {
  opening: '正在開啟 {{name}}…',
  hint: '如沒有反應，請按下面的按鈕；本裝置須已安裝 {{name}}。',
  open: '開啟 {{name}}',
  invalid: '連結無效',
  cause: '這裏只能開啟聊天應用程式的連結，而這個不是。',
  home: '返回主頁',
};
