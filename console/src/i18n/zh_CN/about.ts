export const texts = {
  title: '关于',
  what: '{{name}} 把多家 AI 服务商的接口统一成一个 OpenAI 风格的接口：一个地址、一个令牌，就能调用所有模型，每次调用花了多少都算得清。',
  how: '管理员可以在设置里把这一页换成自己的内容：Markdown、HTML，或一个网址。',
  versionTitle: '版本',
  startedTitle: '本次启动',
  sourceTitle: '源代码',
  failed: '没能加载关于页的内容。',
};
