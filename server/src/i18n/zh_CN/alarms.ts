import type { AlarmTexts } from '../text-types.ts';

export const alarms: AlarmTexts = {
  incidents: {
    model: [
      '模型 {model} 无渠道可用：{calls} 次调用被拒绝',
      '打开“渠道”，按此模型筛选并测试；若都不可用，请新增渠道。',
    ],
    success: [
      '调用成功率仅 {rate}%（{minutes} 分钟内 {calls} 次中失败 {failed} 次）',
      '打开“实时”，查看哪些渠道和模型在失败。',
    ],
    database: [
      '数据库 {seconds} 秒没有响应',
      '检查数据库服务器、磁盘和连接；使用 SQLite 时，检查是否有其他程序锁定了文件。期间没有预留额度的调用会被拒绝。',
    ],
    storage: ['{host} 无法记录调用，调用被拒绝', '请释放磁盘空间；若数据库已损坏，请从备份恢复。'],
    channel: [
      '渠道 {name} 失败：{minutes} 分钟内 {attempts} 次尝试中失败 {failed} 次',
      '测试该渠道，检查地址、密钥和服务商的状态页。',
    ],
    key: ['渠道 {name} 的一个密钥已被停用', '更换密钥，或在账号恢复后重新测试。'],
    balance: ['渠道 {name} 的服务商账户仅剩 {balance} {currency}', '请为该账户充值。'],
    price: ['模型 {model} 没有价格，{calls} 次调用被拒绝', '打开“价格”设置价格，或从渠道中移除该模型。'],
    usage: ['渠道 {name} 上报了 {model} 的不可能用量', '请与服务商账单核对。计费已限制在可能的范围内。'],
    disk: ['{host} 的磁盘已用 {percent}%（剩余 {free} GiB）', '删除旧日志和备份，或扩大磁盘。'],
    backup: ['最近一次备份失败或已逾期', '打开“设置 → 备份”，手动备份一次。'],
    job: ['后台任务“{job}”持续失败', '完整错误见进程日志。'],
    gateway: ['支付网关 {name} 的通知被拒绝', '核对此处的密钥与商户后台是否一致。'],
    slow: [
      '渠道 {name} 缓慢：首字或整个调用用时 {seconds} 秒，通常不超过 {limit} 秒',
      '查看服务商的状态页，或降低该渠道的优先级。',
    ],
    refusals: [
      '{minutes} 分钟内拒绝了 {count} 次调用，此时段通常为 {usual} 次',
      '打开“日志 → 被拒绝的调用”，查看是谁的调用及原因。',
    ],
    shortfall: [
      '{calls} 次调用的费用超出用户余额共 {credits} 额度',
      '打开“对账”查看这些调用；价格或预计回答长度可能偏低。',
    ],
    node: ['{host} 上的一个服务进程异常结束', '其调用已结算或释放。请在进程日志和系统日志中查找原因。'],
    journal: [
      '{host} 上有 {waiting} 次已结算的调用尚未写入数据库',
      '日志文件保留期间不会丢失。请检查数据库和进程日志。',
    ],
    certificate: ['{host} 的证书将在 {days} 天后到期', '请续期，或联系该主机的运营者。到期后连接会失败。'],
    credential: ['渠道 {name} 的一个密钥将在 {days} 天后到期', '请填入新密钥。到期后该渠道的调用会失败。'],
    version: ['有新版本 {version}（当前 {running}）', '在“设置”中阅读更新说明，然后升级。'],
    way: ['通过 {name} 的消息无法送达', '打开“告警”，测试该通知方式。'],
  },
  events: {
    'order.paid': '已收到付款：订单 {trade_no}',
    'order.refunded': '订单 {trade_no} 已退款',
    'user.created': '新用户 {username}',
    'login.new': '来自 {ip} 的新登录（{user_agent}）',
    'balance.low': '余额不足：剩余 {balance}',
    'key.created': '已创建令牌 {name}',
    'key.rotated': '令牌 {name} 已更换密钥',
    'key.ended': '令牌 {name} 已失效',
    'key.expiring': '令牌 {name} 将于 {expires} 到期',
    'key.budget': '令牌 {name} 已用去某项限额的 {percent}%',
    'task.ended': '任务 {task_id} 已结束：{status}',
    'way.test': '这是一条测试消息。能看到它，说明告警可以送达。',
  },
  notYou: '如非本人操作，请修改密码并检查令牌。',
  over: '已恢复',
  cause: '最近的错误',
  several: '{count} 条消息',
  more: '还有 {count} 条',
};
