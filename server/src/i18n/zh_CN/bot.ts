import type { BotTexts } from '../text-types.ts';

export const bot: BotTexts = {
  menu: {
    bind: '绑定账号',
    unbind: '解绑账号',
    balance: '查看余额',
    recharge: '使用兑换码',
    apikey: '查看令牌',
    aff: '邀请链接',
  },
  bound: '已绑定账号 {name}。',
  unbound: '已解绑。',
  notBound: '还没有绑定账号。',
  how: '请在网站的个人设置里点“绑定 Telegram”，然后把得到的消息发给我。',
  wrong: '这个绑定码不正确或已失效，请在个人设置里换一个。',
  tooMany: '操作太频繁，请稍后再试。',
  disabled: '这个账号已被停用。',
  help: '可以使用的命令：',
  balance: '账号：{name}\n分组：{group}\n余额：{balance}\n已用：{used}',
  sendCode: '请回复这条消息，发送兑换码。',
  redeemed: '兑换成功，到账 {credits}。',
  keys: '你的令牌（{total} 个）：',
  noKeys: '你还没有令牌，可以在网站上创建。',
  openKeys: '在网站上管理令牌',
  invite: '邀请码：{code}\n邀请链接：{link}',
  page: '第 {page}/{pages} 页',
};
