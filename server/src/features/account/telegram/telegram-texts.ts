import type { Language } from '@relay-hub/contract';

interface BotTexts {
  bound: string;
  unbound: string;
  notBound: string;
  how: string;
  wrong: string;
  tooMany: string;
}

/** The bot's messages, by the sender's language. */
export const botTexts: Record<Language, BotTexts> = {
  zh_CN: {
    bound: '已绑定账号 {name}。',
    unbound: '已解绑。',
    notBound: '还没有绑定账号。',
    how: '请在网站的个人设置里点“绑定 Telegram”，然后把得到的消息发给我。',
    wrong: '这个绑定码不正确或已失效，请在个人设置里换一个。',
    tooMany: '试得太多了，请稍后再来。',
  },
  zh_HK: {
    bound: '已綁定帳戶 {name}。',
    unbound: '已解除綁定。',
    notBound: '還沒有綁定帳戶。',
    how: '請在網站的個人設定裏按「綁定 Telegram」，然後把得到的訊息發給我。',
    wrong: '這個綁定碼不正確或已失效，請在個人設定裏換一個。',
    tooMany: '試得太多了，請稍後再來。',
  },
  en_US: {
    bound: 'Connected to the account {name}.',
    unbound: 'Disconnected.',
    notBound: 'No account is connected.',
    how: 'Open your profile on the site, select “Connect Telegram”, then send me the message shown there.',
    wrong: 'This code is wrong or has expired. Get a new one in your profile.',
    tooMany: 'Too many attempts. Try again later.',
  },
  ja_JP: {
    bound: 'アカウント {name} と連携しました。',
    unbound: '連携を解除しました。',
    notBound: '連携しているアカウントはありません。',
    how: 'サイトのプロフィールで「Telegram を連携」を押し、表示されたメッセージを送ってください。',
    wrong: 'このコードは正しくないか、期限が切れています。プロフィールで新しいコードを取得してください。',
    tooMany: '試行回数が多すぎます。しばらくしてからお試しください。',
  },
};
