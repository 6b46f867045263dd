export const texts = {
  title: '两步验证',
  text: '打开验证器应用，填写这个账号的 6 位数字。',
  recoveryText: '填写一个还没用过的恢复码。每个只能用一次。',
  code: '验证码',
  recovery: '恢复码',
  codeMissing: '请填写 6 位验证码。',
  recoveryMissing: '请填写恢复码。',
  submit: '验证并登录',
  useRecovery: '改用恢复码',
  useCode: '改用验证码',
  back: '返回，重新输入密码',
  passkey: '用通行密钥登录',
};
