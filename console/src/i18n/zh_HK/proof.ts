import type { Texts } from '../texts.ts';

export const texts: Texts['proof'] = {
  title: '確認是你本人',
  text: '接下來的操作很重要，請先確認身份。確認後十分鐘內不再詢問。',
  passkey: '以通行密鑰確認',
  or: '或',
  way: '確認方式',
  password: '密碼',
  code: '驗證碼',
  codeHint: '開啟驗證器應用程式，輸入這個帳戶的 6 位數字。',
  passwordMissing: '請輸入密碼。',
  codeMissing: '請輸入驗證碼。',
  wrong: '驗證碼是 6 位數字。',
  confirm: '確認',
  none: '這個帳戶沒有密碼，也沒有通行密鑰。請登出後重新登入，並在十分鐘內操作。',
};
