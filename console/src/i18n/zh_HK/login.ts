import type { Texts } from '../texts.ts';

export const texts: Texts['login'] = {
  title: '登入 {{name}}',
  username: '用戶名稱或電郵',
  password: '密碼',
  show: '顯示密碼',
  hide: '隱藏密碼',
  submit: '登入',
  wrong: '用戶名稱或密碼不正確。',
  wrongAgain: '密碼不正確，或此帳戶已不能登入。',
  usernameMissing: '請輸入用戶名稱或電郵。',
  passwordMissing: '請輸入密碼。',
  ways: '登入方式',
  byPassword: '密碼',
  byCode: '電郵驗證碼',
  forgot: '忘記密碼',
  noAccount: '沒有帳戶？',
  toRegister: '註冊',
  sent: '如果這個電郵地址綁定了帳戶，驗證碼已寄出，3 分鐘內有效。',
  wait: '正在進行真人驗證，請稍候重試。',
};
