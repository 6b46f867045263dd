import type { Texts } from '../texts.ts';

export const texts: Texts['mailCode'] = {
  email: '電郵地址',
  missing: '請輸入電郵地址。',
  code: '驗證碼',
  send: '取得驗證碼',
  again: '{{seconds}} 秒後可重新寄出',
  sent: '驗證碼已寄至 {{email}}，10 分鐘內有效。',
};
