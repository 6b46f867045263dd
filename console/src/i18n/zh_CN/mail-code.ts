export const texts = {
  email: '邮箱',
  missing: '请填写邮箱。',
  code: '验证码',
  send: '获取验证码',
  again: '{{seconds}} 秒后可重发',
  sent: '验证码已发到 {{email}}，10 分钟内有效。',
};
