import type { BotTexts } from '../text-types.ts';

export const bot: BotTexts = {
  menu: {
    bind: '綁定帳戶',
    unbind: '解除綁定',
    balance: '查看餘額',
    recharge: '使用兌換碼',
    apikey: '查看令牌',
    aff: '邀請連結',
  },
  bound: '已綁定帳戶 {name}。',
  unbound: '已解除綁定。',
  notBound: '還沒有綁定帳戶。',
  how: '請在網站的個人設定裏按「綁定 Telegram」，然後把得到的訊息發給我。',
  wrong: '這個綁定碼不正確或已失效，請在個人設定裏換一個。',
  tooMany: '操作太頻密，請稍後再試。',
  disabled: '這個帳戶已被停用。',
  help: '可以使用的指令：',
  balance: '帳戶：{name}\n群組：{group}\n餘額：{balance}\n已用：{used}',
  sendCode: '請回覆這則訊息，傳送兌換碼。',
  redeemed: '兌換成功，已增加 {credits}。',
  keys: '你的令牌（{total} 個）：',
  noKeys: '你還沒有令牌，可以在網站上建立。',
  openKeys: '在網站上管理令牌',
  invite: '邀請碼：{code}\n邀請連結：{link}',
  page: '第 {page}/{pages} 頁',
};
