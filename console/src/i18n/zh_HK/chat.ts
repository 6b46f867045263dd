import type { Texts } from '../texts.ts';

export const texts: Texts['chat'] = {
  none: '沒有聊天應用',
  noneText: '管理員可於設定中新增聊天連結。',
  text: '於 {{place}} 開啟，並填好你的令牌和本站地址。',
  client: '聊天應用',
  token: '令牌',
  tokenHint: '開啟後，{{place}} 會取得這個令牌的密鑰。',
  keyInQuery: '這個連結把密鑰放在網址的查詢部分，對方網站的伺服器日誌會記下。',
  show: '在這裏開啟',
  open: '在新視窗開啟',
  noToken: '尚未有可用的令牌',
  noTokenText: '聊天應用以令牌呼叫本站，請先建立一個。',
  create: '建立令牌',
  blocked: '瀏覽器仍在使用舊的頁面規則，重新載入後即可顯示。',
  reload: '重新載入',
};
