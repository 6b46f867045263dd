import type { EventType, IncidentKind, IncidentParams, Language } from '@relay-hub/contract';

/** Title and advice of a kind of incident, with placeholders for its parameters. */
type IncidentWords = readonly [title: string, advice: string];

interface AlarmWords {
  incidents: Record<IncidentKind, IncidentWords>;
  /** Other events. */
  events: Record<Exclude<EventType, 'incident.opened' | 'incident.closed'> | 'way.test', string>;
  /** Before the title of an incident that is over. */
  over: string;
  /** Before the last error message. */
  cause: string;
  /** Title of a message that summarizes several incidents. */
  several: string;
  more: string;
}

const en_US: AlarmWords = {
  incidents: {
    model: [
      'Nobody serves {model}: {calls} calls were refused',
      'Open Channels, filter by this model, and test its channels. Add a channel if none is healthy.',
    ],
    success: [
      'Only {rate} % of calls succeed ({failed} of {calls} failed in {minutes} minutes)',
      'Open Live to see which channels and models fail.',
    ],
    database: [
      'The database did not answer for {seconds} s',
      'Check the database server, its disk and its connections. Calls were refused meanwhile.',
    ],
    storage: [
      'Calls cannot be recorded and are refused',
      'Free disk space. If the database is damaged, restore it from a backup.',
    ],
    channel: [
      'Channel {name} fails: {failed} of {attempts} attempts in {minutes} minutes',
      'Test the channel. Check its address, its key and the status page of the provider.',
    ],
    key: ['A key of channel {name} was disabled', 'Replace the key, or test it again after the account is in order.'],
    balance: ['The provider account of channel {name} has only {balance} {currency} left', 'Top up the account.'],
    price: [
      '{calls} calls of {model} were refused, because it has no price',
      'Open Pricing and set a price, or remove the model from its channels.',
    ],
    usage: [
      'Channel {name} reported impossible usage for {model}',
      'Compare with the bill of the provider. Charges were limited to what is possible.',
    ],
    disk: ['The disk is {percent} % full ({free} GiB free)', 'Delete old logs and backups, or enlarge the disk.'],
    backup: ['The last backup failed or is overdue', 'Open Settings, Backups, and make one by hand.'],
    job: ['The background job "{job}" keeps failing', 'Read the process log for the whole error.'],
    gateway: [
      'Notifications of payment gateway {name} are refused',
      'Compare the secret here with the one in the merchant console.',
    ],
    way: ['Messages by {name} cannot be delivered', 'Open Alerts and test this way.'],
  },
  events: {
    'order.paid': 'Payment received: order {trade_no}',
    'order.refunded': 'Order {trade_no} was refunded',
    'user.created': 'New user {username}',
    'way.test': 'This is a test message. If you can read it, alerts arrive here.',
  },
  over: 'Over',
  cause: 'Last error',
  several: '{count} messages',
  more: 'and {count} more',
};

const zh_CN: AlarmWords = {
  incidents: {
    model: [
      '模型 {model} 无渠道可用：{calls} 次调用被拒绝',
      '打开“渠道”，按此模型筛选并测试；若都不可用，请新增渠道。',
    ],
    success: [
      '调用成功率仅 {rate}%（{minutes} 分钟内 {calls} 次中失败 {failed} 次）',
      '打开“实时”，查看哪些渠道和模型在失败。',
    ],
    database: ['数据库 {seconds} 秒没有响应', '检查数据库服务器、磁盘和连接。期间的调用已被拒绝。'],
    storage: ['无法记录调用，调用被拒绝', '请释放磁盘空间；若数据库已损坏，请从备份恢复。'],
    channel: [
      '渠道 {name} 失败：{minutes} 分钟内 {attempts} 次尝试中失败 {failed} 次',
      '测试该渠道，检查地址、密钥和服务商的状态页。',
    ],
    key: ['渠道 {name} 的一个密钥已被停用', '更换密钥，或在账号恢复后重新测试。'],
    balance: ['渠道 {name} 的服务商账户仅剩 {balance} {currency}', '请为该账户充值。'],
    price: ['模型 {model} 没有价格，{calls} 次调用被拒绝', '打开“价格”设置价格，或从渠道中移除该模型。'],
    usage: ['渠道 {name} 上报了 {model} 的不可能用量', '请与服务商账单核对。计费已限制在可能的范围内。'],
    disk: ['磁盘已用 {percent}%（剩余 {free} GiB）', '删除旧日志和备份，或扩大磁盘。'],
    backup: ['最近一次备份失败或已逾期', '打开“设置 → 备份”，手动备份一次。'],
    job: ['后台任务“{job}”持续失败', '完整错误见进程日志。'],
    gateway: ['支付网关 {name} 的通知被拒绝', '核对此处的密钥与商户后台是否一致。'],
    way: ['通过 {name} 的消息无法送达', '打开“告警”，测试该通知方式。'],
  },
  events: {
    'order.paid': '已收到付款：订单 {trade_no}',
    'order.refunded': '订单 {trade_no} 已退款',
    'user.created': '新用户 {username}',
    'way.test': '这是一条测试消息。能看到它，说明告警可以送达。',
  },
  over: '已恢复',
  cause: '最近的错误',
  several: '{count} 条消息',
  more: '还有 {count} 条',
};

const zh_HK: AlarmWords = {
  incidents: {
    model: [
      '模型 {model} 沒有可用渠道：{calls} 次調用被拒絕',
      '開啟「渠道」，按此模型篩選並測試；若都不可用，請新增渠道。',
    ],
    success: [
      '調用成功率僅 {rate}%（{minutes} 分鐘內 {calls} 次中失敗 {failed} 次）',
      '開啟「即時」，查看哪些渠道和模型失敗。',
    ],
    database: ['資料庫 {seconds} 秒沒有回應', '檢查資料庫伺服器、磁碟和連線。期間的調用已被拒絕。'],
    storage: ['無法記錄調用，調用被拒絕', '請釋放磁碟空間；若資料庫已損壞，請從備份還原。'],
    channel: [
      '渠道 {name} 失敗：{minutes} 分鐘內 {attempts} 次嘗試中失敗 {failed} 次',
      '測試該渠道，檢查地址、密鑰和供應商的狀態頁。',
    ],
    key: ['渠道 {name} 的一個密鑰已被停用', '更換密鑰，或在帳戶恢復後重新測試。'],
    balance: ['渠道 {name} 的供應商帳戶僅剩 {balance} {currency}', '請為該帳戶充值。'],
    price: ['模型 {model} 沒有價格，{calls} 次調用被拒絕', '開啟「價格」設定價格，或從渠道中移除該模型。'],
    usage: ['渠道 {name} 上報了 {model} 的不可能用量', '請與供應商帳單核對。計費已限制在可能的範圍內。'],
    disk: ['磁碟已用 {percent}%（剩餘 {free} GiB）', '刪除舊日誌和備份，或擴大磁碟。'],
    backup: ['最近一次備份失敗或已逾期', '開啟「設定 → 備份」，手動備份一次。'],
    job: ['背景工作「{job}」持續失敗', '完整錯誤見程序日誌。'],
    gateway: ['支付網關 {name} 的通知被拒絕', '核對此處的密鑰與商戶後台是否一致。'],
    way: ['透過 {name} 的訊息無法送達', '開啟「警報」，測試該通知方式。'],
  },
  events: {
    'order.paid': '已收到付款：訂單 {trade_no}',
    'order.refunded': '訂單 {trade_no} 已退款',
    'user.created': '新用戶 {username}',
    'way.test': '這是一則測試訊息。能看到它，代表警報可以送達。',
  },
  over: '已恢復',
  cause: '最近的錯誤',
  several: '{count} 則訊息',
  more: '還有 {count} 則',
};

const ja_JP: AlarmWords = {
  incidents: {
    model: [
      '{model} を提供できるチャネルがありません（{calls} 件の呼び出しを拒否）',
      '「チャネル」をこのモデルで絞り込んでテストしてください。正常なものがなければ追加してください。',
    ],
    success: [
      '呼び出しの成功率が {rate}% です（{minutes} 分間に {calls} 件中 {failed} 件が失敗）',
      '「ライブ」で失敗しているチャネルとモデルを確認してください。',
    ],
    database: [
      'データベースが {seconds} 秒間応答しませんでした',
      'データベースサーバー、ディスク、接続を確認してください。その間の呼び出しは拒否されました。',
    ],
    storage: [
      '呼び出しを記録できず、拒否しています',
      'ディスクの空きを増やしてください。データベースが破損している場合はバックアップから復元してください。',
    ],
    channel: [
      'チャネル {name} が失敗しています（{minutes} 分間に {attempts} 回中 {failed} 回）',
      'チャネルをテストし、アドレス、キー、プロバイダーのステータスを確認してください。',
    ],
    key: ['チャネル {name} のキーが無効になりました', 'キーを交換するか、アカウントの復旧後に再テストしてください。'],
    balance: [
      'チャネル {name} のプロバイダー残高が {balance} {currency} しかありません',
      'アカウントにチャージしてください。',
    ],
    price: [
      '{model} に価格がないため {calls} 件の呼び出しを拒否しました',
      '「価格」で設定するか、チャネルからモデルを外してください。',
    ],
    usage: [
      'チャネル {name} が {model} のあり得ない使用量を報告しました',
      'プロバイダーの請求と照合してください。課金はあり得る範囲に抑えています。',
    ],
    disk: [
      'ディスクの使用率が {percent}% です（空き {free} GiB）',
      '古いログやバックアップを削除するか、拡張してください。',
    ],
    backup: ['直近のバックアップが失敗したか、期限を過ぎています', '「設定 → バックアップ」で手動実行してください。'],
    job: ['バックグラウンド処理「{job}」が失敗し続けています', '詳細はプロセスのログを確認してください。'],
    gateway: [
      '決済ゲートウェイ {name} からの通知を拒否しています',
      'ここのシークレットと加盟店管理画面のものを照合してください。',
    ],
    way: ['{name} へのメッセージを届けられません', '「アラート」でこの通知先をテストしてください。'],
  },
  events: {
    'order.paid': '入金を確認しました：注文 {trade_no}',
    'order.refunded': '注文 {trade_no} を返金しました',
    'user.created': '新しいユーザー {username}',
    'way.test': 'テストメッセージです。これが読めれば、アラートはここに届きます。',
  },
  over: '復旧',
  cause: '直近のエラー',
  several: 'メッセージ {count} 件',
  more: 'ほか {count} 件',
};

const languages: Record<Language, AlarmWords> = { zh_CN, zh_HK, en_US, ja_JP };

export const alarmWords = (language: Language): AlarmWords => languages[language];

/** Fills placeholders; a missing value becomes an empty text. */
export const filled = (text: string, params: Record<string, unknown>): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  });

/** Title and advice of an incident. */
export function incidentText(kind: IncidentKind, params: IncidentParams, language: Language) {
  const [title, advice] = alarmWords(language).incidents[kind];
  return { title: filled(title, params), advice };
}
