import type { Texts } from '../texts.ts';

export const texts: Texts['secondStep'] = {
  title: '兩步驗證',
  text: '開啟驗證器應用程式，輸入這個帳戶的 6 位數字。',
  recoveryText: '輸入一個尚未用過的備用碼。每個只能使用一次。',
  code: '驗證碼',
  recovery: '備用碼',
  codeMissing: '請輸入 6 位驗證碼。',
  recoveryMissing: '請輸入備用碼。',
  submit: '驗證並登入',
  useRecovery: '改用備用碼',
  useCode: '改用驗證碼',
  back: '返回，重新輸入密碼',
  passkey: '以通行密鑰登入',
  refused: '此帳戶現在不能登入。',
};
