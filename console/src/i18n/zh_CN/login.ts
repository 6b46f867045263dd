export const texts = {
  title: '登录 {{name}}',
  username: '用户名或邮箱',
  password: '密码',
  show: '显示密码',
  hide: '隐藏密码',
  submit: '登录',
  wrong: '用户名或密码不对。',
  usernameMissing: '请填写用户名或邮箱。',
  passwordMissing: '请填写密码。',
};
