/** Notifications in the bell. */
export const texts = {
  title: '通知',
  readAll: '全部标为已读',
  unread: '未读',
  channelOff: '渠道 {{name}} 已被自动停用',
  channelOn: '渠道 {{name}} 已自动恢复',
  keyOff: '渠道 {{name}} 的密钥 {{key}} 已被自动停用',
  keyOn: '渠道 {{name}} 的密钥 {{key}} 已自动恢复',
  usage: '渠道 {{name}} 上报的用量不合理',
  usageText: '{{model}}：上报 {{reported}}，按 {{charged}} 计费',
  order: '订单 {{number}} 需要处理',
  backupFailed: '备份失败',
  refusals: '{{name}} 的调用大量被拒绝：一小时内 {{calls}} 次',
  balanceLow: '余额不足：剩余 {{amount}}',
  limitNear: '令牌 {{token}} 的限额即将用完',
  limitText: '已用 {{used}}，上限 {{limit}}',
  tokenExpires: '令牌 {{token}} 将于 {{date}} 到期',
};
