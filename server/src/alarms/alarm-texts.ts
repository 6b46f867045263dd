import type { EventType, IncidentKind, IncidentParams, Language } from '@relay-hub/contract';

/** Title and advice of a kind of incident, with placeholders for its parameters. */
type IncidentWords = readonly [title: string, advice: string];

interface AlarmWords {
  incidents: Record<IncidentKind, IncidentWords>;
  /** Other events. */
  events: Record<Exclude<EventType, 'incident.opened' | 'incident.closed'> | 'way.test', string>;
  /** Below events of an account that a stranger may have caused. */
  notYou: string;
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
      'Check the database server, its disk and its connections; with SQLite, whether another program locks the file. Calls without reserved credits are refused meanwhile.',
    ],
    storage: [
      '{host} cannot record calls and refuses them',
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
    disk: [
      'The disk of {host} is {percent} % full ({free} GiB free)',
      'Delete old logs and backups, or enlarge the disk.',
    ],
    backup: ['The last backup failed or is overdue', 'Open Settings, Backups, and make one by hand.'],
    job: ['The background job "{job}" keeps failing', 'Read the process log for the whole error.'],
    gateway: [
      'Notifications of payment gateway {name} are refused',
      'Compare the secret here with the one in the merchant console.',
    ],
    slow: [
      'Channel {name} is slow: {seconds} s to the first token or the end of a call; up to {limit} s are usual',
      'Compare with the status page of the provider, or lower the priority of the channel.',
    ],
    refusals: [
      '{count} calls were refused in {minutes} minutes; {usual} are usual at this hour',
      'Open Log, Refused calls, to see whose they are and why.',
    ],
    shortfall: [
      '{calls} calls cost {credits} credits more than their users had',
      'Open Reconciliation for these calls. A price, or the expected length of answers, may be too low.',
    ],
    node: [
      'A server process on {host} ended without stopping',
      'Its calls were settled or released. Look for the cause in the process log and the system log.',
    ],
    journal: [
      '{waiting} settled calls on {host} are not in the database yet',
      'Nothing is lost while the journal is kept. Check the database and the process log.',
    ],
    certificate: [
      'The certificate of {host} ends in {days} days',
      'Renew it, or ask the operator of that host. Connections fail after its end.',
    ],
    credential: [
      'A key of channel {name} expires in {days} days',
      'Enter a new key. Calls of the channel fail after its end.',
    ],
    version: ['Version {version} is available ({running} is running)', 'Read its notes under Settings, then upgrade.'],
    way: ['Messages by {name} cannot be delivered', 'Open Alerts and test this way.'],
  },
  events: {
    'order.paid': 'Payment received: order {trade_no}',
    'order.refunded': 'Order {trade_no} was refunded',
    'user.created': 'New user {username}',
    'login.new': 'New sign-in from {ip} ({user_agent})',
    'balance.low': 'Low balance: {balance} left',
    'key.created': 'Token {name} was created',
    'key.rotated': 'Token {name} has a new key',
    'key.ended': 'Token {name} no longer works',
    'key.expiring': 'Token {name} expires on {expires}',
    'key.budget': 'Token {name} has used {percent} % of a limit',
    'task.ended': 'Task {task_id} ended: {status}',
    'way.test': 'This is a test message. If you can read it, alerts arrive here.',
  },
  notYou: 'If this was not you, change your password and check your tokens.',
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
    database: [
      '資料庫 {seconds} 秒沒有回應',
      '檢查資料庫伺服器、磁碟和連線；使用 SQLite 時，檢查是否有其他程式鎖定了檔案。期間沒有預留額度的調用會被拒絕。',
    ],
    storage: ['{host} 無法記錄調用，調用被拒絕', '請釋放磁碟空間；若資料庫已損壞，請從備份還原。'],
    channel: [
      '渠道 {name} 失敗：{minutes} 分鐘內 {attempts} 次嘗試中失敗 {failed} 次',
      '測試該渠道，檢查地址、密鑰和供應商的狀態頁。',
    ],
    key: ['渠道 {name} 的一個密鑰已被停用', '更換密鑰，或在帳戶恢復後重新測試。'],
    balance: ['渠道 {name} 的供應商帳戶僅剩 {balance} {currency}', '請為該帳戶充值。'],
    price: ['模型 {model} 沒有價格，{calls} 次調用被拒絕', '開啟「價格」設定價格，或從渠道中移除該模型。'],
    usage: ['渠道 {name} 上報了 {model} 的不可能用量', '請與供應商帳單核對。計費已限制在可能的範圍內。'],
    disk: ['{host} 的磁碟已用 {percent}%（剩餘 {free} GiB）', '刪除舊日誌和備份，或擴大磁碟。'],
    backup: ['最近一次備份失敗或已逾期', '開啟「設定 → 備份」，手動備份一次。'],
    job: ['背景工作「{job}」持續失敗', '完整錯誤見程序日誌。'],
    gateway: ['支付網關 {name} 的通知被拒絕', '核對此處的密鑰與商戶後台是否一致。'],
    slow: [
      '渠道 {name} 緩慢：首字或整個呼叫需時 {seconds} 秒，通常不超過 {limit} 秒',
      '查看供應商的狀態頁，或降低該渠道的優先級。',
    ],
    refusals: [
      '{minutes} 分鐘內拒絕了 {count} 次調用，此時段通常為 {usual} 次',
      '開啟「日誌 → 被拒絕的調用」，查看是誰的調用及原因。',
    ],
    shortfall: [
      '{calls} 次調用的費用超出用戶餘額共 {credits} 額度',
      '開啟「對帳」查看這些調用；價格或預計回答長度可能偏低。',
    ],
    node: ['{host} 上的一個伺服器程序異常結束', '其調用已結算或釋放。請在程序日誌和系統日誌中尋找原因。'],
    journal: ['{host} 上有 {waiting} 次已結算的調用尚未寫入資料庫', '日誌檔保留期間不會遺失。請檢查資料庫和程序日誌。'],
    certificate: ['{host} 的憑證將於 {days} 天後到期', '請續期，或聯絡該主機的營運者。到期後連線會失敗。'],
    credential: ['渠道 {name} 的一個密鑰將於 {days} 天後到期', '請填入新密鑰。到期後該渠道的呼叫會失敗。'],
    version: ['有新版本 {version}（目前 {running}）', '在「設定」中閱讀更新說明，然後升級。'],
    way: ['透過 {name} 的訊息無法送達', '開啟「警報」，測試該通知方式。'],
  },
  events: {
    'order.paid': '已收到付款：訂單 {trade_no}',
    'order.refunded': '訂單 {trade_no} 已退款',
    'user.created': '新用戶 {username}',
    'login.new': '來自 {ip} 的新登入（{user_agent}）',
    'balance.low': '餘額不足：剩餘 {balance}',
    'key.created': '已建立令牌 {name}',
    'key.rotated': '令牌 {name} 已更換密鑰',
    'key.ended': '令牌 {name} 已失效',
    'key.expiring': '令牌 {name} 將於 {expires} 到期',
    'key.budget': '令牌 {name} 已用去某項限額的 {percent}%',
    'task.ended': '任務 {task_id} 已結束：{status}',
    'way.test': '這是一則測試訊息。能看到它，代表警報可以送達。',
  },
  notYou: '如非本人操作，請更改密碼並檢查令牌。',
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
      'データベースサーバー、ディスク、接続を確認してください。SQLite の場合は、他のプログラムがファイルをロックしていないかも確認してください。その間、予約済みクレジットのない呼び出しは拒否されます。',
    ],
    storage: [
      '{host} は呼び出しを記録できず、拒否しています',
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
      '{host} のディスク使用率が {percent}% です（空き {free} GiB）',
      '古いログやバックアップを削除するか、拡張してください。',
    ],
    backup: ['直近のバックアップが失敗したか、期限を過ぎています', '「設定 → バックアップ」で手動実行してください。'],
    job: ['バックグラウンド処理「{job}」が失敗し続けています', '詳細はプロセスのログを確認してください。'],
    gateway: [
      '決済ゲートウェイ {name} からの通知を拒否しています',
      'ここのシークレットと加盟店管理画面のものを照合してください。',
    ],
    slow: [
      'チャネル {name} が遅くなっています（最初のトークンまたは応答完了まで {seconds} 秒、通常は {limit} 秒以内）',
      'プロバイダーのステータスを確認するか、チャネルの優先度を下げてください。',
    ],
    refusals: [
      '{minutes} 分間に {count} 件の呼び出しを拒否しました（この時間帯の通常は {usual} 件）',
      '「ログ → 拒否された呼び出し」で、誰の呼び出しか、理由は何かを確認してください。',
    ],
    shortfall: [
      '{calls} 件の呼び出しが残高を合計 {credits} クレジット超過しました',
      '「帳簿照合」で確認してください。価格か回答の想定長が低すぎる可能性があります。',
    ],
    node: [
      '{host} のサーバープロセスが異常終了しました',
      '呼び出しは精算または解放済みです。プロセスとシステムのログで原因を確認してください。',
    ],
    journal: [
      '{host} の精算済みの呼び出し {waiting} 件がデータベースに未反映です',
      'ジャーナルがある限り失われません。データベースとプロセスのログを確認してください。',
    ],
    certificate: [
      '{host} の証明書はあと {days} 日で失効します',
      '更新するか、そのホストの運営者に連絡してください。失効後は接続できません。',
    ],
    credential: [
      'チャネル {name} のキーはあと {days} 日で失効します',
      '新しいキーを入力してください。失効後、このチャネルの呼び出しは失敗します。',
    ],
    version: [
      '新しいバージョン {version} があります（現在 {running}）',
      '「設定」でリリースノートを読み、更新してください。',
    ],
    way: ['{name} へのメッセージを届けられません', '「アラート」でこの通知先をテストしてください。'],
  },
  events: {
    'order.paid': '入金を確認しました：注文 {trade_no}',
    'order.refunded': '注文 {trade_no} を返金しました',
    'user.created': '新しいユーザー {username}',
    'login.new': '{ip} から新しいログインがありました（{user_agent}）',
    'balance.low': '残高が少なくなっています：残り {balance}',
    'key.created': 'トークン {name} を作成しました',
    'key.rotated': 'トークン {name} のキーを更新しました',
    'key.ended': 'トークン {name} は使えなくなりました',
    'key.expiring': 'トークン {name} は {expires} に失効します',
    'key.budget': 'トークン {name} が上限の {percent}% を使いました',
    'task.ended': 'タスク {task_id} が終了しました：{status}',
    'way.test': 'テストメッセージです。これが読めれば、アラートはここに届きます。',
  },
  notYou: '心当たりがない場合は、パスワードを変更しトークンを確認してください。',
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
