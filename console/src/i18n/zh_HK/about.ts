import type { Texts } from '../texts.ts';

export const texts: Texts['about'] = {
  title: '關於',
  what: '{{name}} 把多家 AI 供應商匯集於一個 OpenAI 風格的 API：一個地址、一個令牌，便可呼叫所有模型，每次呼叫花費多少都清楚可查。',
  how: '管理員可在設定中把本頁換成自己的內容：Markdown、HTML 或一個網址。',
  versionTitle: '版本',
  startedTitle: '本次啟動',
  sourceTitle: '原始碼',
  formatsTitle: 'API 格式',
  formatsText: '把官方客戶端指向對應格式的地址，以本站令牌作為密鑰。每種格式都能呼叫所有模型。',
  pagesTitle: '本站頁面',
  prices: '所有模型的價格',
  status: '最近 90 天的可用性',
  reference: 'API 參考',
  failed: '未能載入「關於」頁的內容。',
};
