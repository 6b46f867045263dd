import type { BotCommand, Language } from '@relay-hub/contract';

interface BotTexts {
  /** Descriptions in the menu of commands. */
  menu: Record<BotCommand, string>;
  bound: string;
  unbound: string;
  notBound: string;
  how: string;
  wrong: string;
  tooMany: string;
  disabled: string;
  help: string;
  balance: string;
  sendCode: string;
  redeemed: string;
  keys: string;
  noKeys: string;
  openKeys: string;
  invite: string;
  page: string;
}

/** The bot's messages, by the sender's language. */
export const botTexts: Record<Language, BotTexts> = {
  zh_CN: {
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
  },
  zh_HK: {
    menu: {
      bind: '綁定帳戶',
      unbind: '解除綁定',
      balance: '查看餘額',
      recharge: '使用兌換碼',
      apikey: '查看權杖',
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
    keys: '你的權杖（{total} 個）：',
    noKeys: '你還沒有權杖，可以在網站上建立。',
    openKeys: '在網站上管理權杖',
    invite: '邀請碼：{code}\n邀請連結：{link}',
    page: '第 {page}/{pages} 頁',
  },
  en_US: {
    menu: {
      bind: 'Connect your account',
      unbind: 'Disconnect your account',
      balance: 'Show your balance',
      recharge: 'Redeem a code',
      apikey: 'List your tokens',
      aff: 'Get your invitation link',
    },
    bound: 'Connected to the account {name}.',
    unbound: 'Disconnected.',
    notBound: 'No account is connected.',
    how: 'Open your profile on the site, select “Connect Telegram”, then send me the message shown there.',
    wrong: 'This code is wrong or has expired. Get a new one in your profile.',
    tooMany: 'Too many attempts. Try again later.',
    disabled: 'This account is disabled.',
    help: 'Commands:',
    balance: 'Account: {name}\nGroup: {group}\nBalance: {balance}\nUsed: {used}',
    sendCode: 'Reply to this message with the code.',
    redeemed: 'Redeemed. {credits} were added to your balance.',
    keys: 'Your tokens ({total}):',
    noKeys: 'You have no tokens yet. Create one on the site.',
    openKeys: 'Manage tokens on the site',
    invite: 'Invitation code: {code}\nInvitation link: {link}',
    page: 'Page {page} of {pages}',
  },
  ja_JP: {
    menu: {
      bind: 'アカウントを連携',
      unbind: '連携を解除',
      balance: '残高を表示',
      recharge: '引き換えコードを使う',
      apikey: 'トークンの一覧',
      aff: '招待リンク',
    },
    bound: 'アカウント {name} と連携しました。',
    unbound: '連携を解除しました。',
    notBound: '連携しているアカウントはありません。',
    how: 'サイトのプロフィールで「Telegram を連携」を押し、表示されたメッセージを送ってください。',
    wrong: 'このコードは正しくないか、期限が切れています。プロフィールで新しいコードを取得してください。',
    tooMany: '操作の回数が多すぎます。しばらくしてからお試しください。',
    disabled: 'このアカウントは無効になっています。',
    help: '使えるコマンド：',
    balance: 'アカウント：{name}\nグループ：{group}\n残高：{balance}\n使用済み：{used}',
    sendCode: 'このメッセージに返信する形で、コードを送ってください。',
    redeemed: '引き換えました。{credits} が残高に加わりました。',
    keys: 'トークン（{total} 件）：',
    noKeys: 'トークンはまだありません。サイトで作成できます。',
    openKeys: 'サイトでトークンを管理',
    invite: '招待コード：{code}\n招待リンク：{link}',
    page: '{page} / {pages} ページ',
  },
};

/** A text with its values. */
export const filled = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
