import type { MailTexts } from '../mail-texts.ts';

export const mail: MailTexts = {
  addressCode: {
    subject: '{site} 邮箱验证码：{code}',
    before: ['您正在 {site} 验证这个邮箱，验证码是：'],
    after: ['{minutes} 分钟内有效，只能使用一次。', '如果不是您本人操作，请忽略这封邮件，不要把验证码告诉任何人。'],
  },
  addressTaken: {
    subject: '这个邮箱在 {site} 已有账号',
    before: [
      '有人想在 {site} 使用这个邮箱，但它已经属于一个账号，所以没有发送验证码。',
      '如果是您本人，请直接登录；忘记密码可以重新设置。',
    ],
    action: '去登录',
    after: ['如果不是您本人操作，请忽略这封邮件，您的账号没有任何变化。'],
  },
  loginCode: {
    subject: '{site} 登录验证码：{code}',
    before: ['您正在登录 {site}，验证码是：'],
    after: [
      '{minutes} 分钟内有效，只能在请求它的浏览器里使用一次。',
      '如果不是您本人操作，请忽略这封邮件，不要把验证码告诉任何人。',
    ],
  },
  passwordReset: {
    subject: '重新设置 {site} 的密码',
    before: ['有人请求为您在 {site} 的账号 {username} 重新设置密码。请用下面的链接设置新密码：'],
    action: '设置新密码',
    after: [
      '链接 {minutes} 分钟内有效，只能使用一次。设置后，所有已登录的设备都会退出，名下令牌会被禁用，之后可以重新启用。',
      '如果不是您本人操作，请忽略这封邮件，密码不会改变。',
    ],
  },
  passwordChanged: {
    subject: '{site} 的密码已更换',
    before: [
      '您在 {site} 的账号 {username} 更换了密码。其他设备都已退出，系统访问令牌已失效。',
      '禁用了 {tokens} 个令牌。仍然需要的，可以重新启用。',
    ],
    others:
      '密码以外的登录方式没有变：通行密钥 {passkeys} 个，绑定的账号 {accounts} 个。其中如有不是您添加的，请在个人设置里移除。',
    action: '查看令牌',
    after: ['如果不是您本人操作，请立即重新设置密码，并联系网站管理员。'],
  },
  passwordGiven: {
    subject: '管理员更换了您在 {site} 的密码',
    before: [
      '{site} 的管理员为您的账号 {username} 设置了新密码。所有设备都已退出，系统访问令牌已失效。',
      '禁用了 {tokens} 个令牌。仍然需要的，可以重新启用。',
    ],
    others:
      '密码以外的登录方式没有变：通行密钥 {passkeys} 个，绑定的账号 {accounts} 个。其中如有不是您添加的，请在个人设置里移除。',
    action: '查看令牌',
    after: ['如果您没有提出过这个要求，请联系网站管理员。'],
  },
  teamInvite: {
    subject: '邀请您加入 {site} 的团队 {team}',
    before: ['您受邀加入 {site} 的团队 {team}，成员的调用由团队付费。'],
    action: '查看邀请',
    after: ['链接 7 天内有效，只能使用一次，且账号邮箱须为本邮箱。', '如果与您无关，请忽略本邮件。'],
  },
  lowBalance: {
    subject: '{site} 余额不足提醒',
    before: ['您在 {site} 的账号 {username} 余额为 {balance}，已低于 {threshold}。余额用完后，调用会被拒绝。'],
    action: '去充值',
    after: ['充值之前不会再次提醒。'],
  },
  teamLowBalance: {
    subject: '{site} 团队 {username} 余额不足',
    before: ['{site} 上的团队 {username} 余额为 {balance}，已低于 {threshold}。余额用完后，成员的调用将被拒绝。'],
    action: '查看团队',
    after: ['在团队充值之前，不会再次提醒。'],
  },
  planRenews: {
    subject: '{site} 套餐 {plan} 将于 {date} 续期',
    before: ['{site} 账户 {username} 的套餐 {plan} 将于 {date} 续期，届时从余额扣除 {price}。当前余额：{balance}。'],
    others: '余额还差 {missing}。请在此之前充值，否则套餐将到期结束。',
    action: '查看套餐',
    after: ['如不再需要，请在此之前关闭续期。每个周期只发送一封提醒。'],
  },
  limitNear: {
    subject: '{site} 令牌限额即将用完',
    before: ['以下限额已用掉大部分。用完后调用会被拒绝，直到重新计算：'],
    action: '查看令牌',
    after: ['每个限额在每个周期只提醒一次。可以在个人资料里关闭这类邮件。'],
  },
  expiryNear: {
    subject: '{site} 的令牌即将过期',
    before: ['以下令牌即将过期，届时使用它们的程序将无法继续调用：'],
    action: '查看令牌',
    after: ['每个令牌的每个过期时间只发送一次此邮件。可在个人资料中更改或关闭这类邮件。'],
  },
  channels: {
    subject: '{site} 渠道测试已结束',
    before: ['{site} 的渠道测试已结束：'],
    action: '查看渠道',
    after: [],
  },
  alarm: { subject: '{site} 告警：{title}', before: ['{title}'], action: '查看', after: [] },
  notice: {
    subject: '{site} 的公告',
    before: ['{text}'],
    action: '打开网站',
    after: ['不想再收到此类邮件：{unsubscribe}'],
  },
  maintenance: {
    subject: '{site}：{start} 至 {end} 维护',
    before: ['{text}', '{start} 至 {end} 期间，API 调用会被拒绝。'],
    action: '打开网站',
    after: ['不想再收到此类邮件：{unsubscribe}'],
  },
  test: { subject: '{site} 测试邮件', before: ['能收到这封邮件，说明 {site} 的发信设置可以使用。'], after: [] },
  events: {
    line: '{line}',
    testDone:
      '渠道测试已结束：{succeeded} 个通过，{failed} 个失败，{skipped} 个无法测试；禁用了 {off} 个，重新启用了 {on} 个。',
    budgetHour: '令牌 {token}：本小时已用 {used}，限额 {limit}，{resets} 重新计算。',
    budgetFiveHours: '令牌 {token}：这 5 小时已用 {used}，限额 {limit}，{resets} 重新计算。',
    budgetDay: '令牌 {token}：今天已用 {used}，限额 {limit}，{resets} 重新计算。',
    budgetWeek: '令牌 {token}：本周已用 {used}，限额 {limit}，{resets} 重新计算。',
    budgetMonth: '令牌 {token}：本月已用 {used}，限额 {limit}，{resets} 重新计算。',
    requestsDay: '令牌 {token}：今天已请求 {used} 次，限额 {limit} 次，{resets} 重新计算。',
    tokensDay: '令牌 {token}：今天已用 {used} token，限额 {limit}，{resets} 重新计算。',
    tokenExpires: '令牌 {token} 将于 {expires} 过期。',
  },
  linkHint: '如果按钮无法打开，请把这个地址复制到浏览器：',
  sentBy: '这封邮件由 {site} 自动发送，请勿回复。',
};
