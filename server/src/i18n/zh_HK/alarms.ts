import type { AlarmTexts } from '../text-types.ts';

export const alarms: AlarmTexts = {
  incidents: {
    model: [
      '模型 {model} 沒有可用渠道：{calls} 次呼叫被拒絕',
      '開啟「渠道」，按此模型篩選並測試；若都不可用，請新增渠道。',
    ],
    success: [
      '呼叫成功率僅 {rate}%（{minutes} 分鐘內 {calls} 次中失敗 {failed} 次）',
      '開啟「即時」，查看哪些渠道和模型失敗。',
    ],
    database: [
      '資料庫 {seconds} 秒沒有回應',
      '檢查資料庫伺服器、磁碟和連線；使用 SQLite 時，檢查是否有其他程式鎖定了檔案。期間沒有預留額度的呼叫會被拒絕。',
    ],
    storage: ['{host} 無法記錄呼叫，呼叫被拒絕', '請釋放磁碟空間；若資料庫已損壞，請從備份還原。'],
    channel: [
      '渠道 {name} 失敗：{minutes} 分鐘內 {attempts} 次嘗試中失敗 {failed} 次',
      '測試該渠道，檢查地址、密鑰和供應商的狀態頁。',
    ],
    key: ['渠道 {name} 的一個密鑰已被停用', '更換密鑰，或在帳戶恢復後重新測試。'],
    balance: ['渠道 {name} 的供應商帳戶僅剩 {balance} {currency}', '請為該帳戶充值。'],
    price: ['模型 {model} 沒有價格，{calls} 次呼叫被拒絕', '開啟「價格」設定價格，或從渠道中移除該模型。'],
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
      '{minutes} 分鐘內拒絕了 {count} 次呼叫，此時段通常為 {usual} 次',
      '開啟「日誌 → 被拒絕的呼叫」，查看是誰的呼叫及原因。',
    ],
    shortfall: [
      '{calls} 次呼叫的費用超出用戶餘額共 {credits} 額度',
      '開啟「對帳」查看這些呼叫；價格或預計回答長度可能偏低。',
    ],
    node: ['{host} 上的一個伺服器程序異常結束', '其呼叫已結算或釋放。請在程序日誌和系統日誌中尋找原因。'],
    journal: ['{host} 上有 {waiting} 次已結算的呼叫尚未寫入資料庫', '日誌檔保留期間不會遺失。請檢查資料庫和程序日誌。'],
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
