import type { Texts } from '../texts.ts';

export const texts: Texts['notification'] = {
  title: '通知',
  readAll: '全部標為已讀',
  unread: '未讀',
  channelOff: '渠道 {{name}} 已被自動停用',
  channelOn: '渠道 {{name}} 已自動恢復',
  keyOff: '渠道 {{name}} 的密鑰 {{key}} 已被自動停用',
  keyOn: '渠道 {{name}} 的密鑰 {{key}} 已自動恢復',
  usage: '渠道 {{name}} 回報的用量不合理',
  usageText: '{{model}}：回報 {{reported}}，按 {{charged}} 計費',
  order: '訂單 {{number}} 需要處理',
  backupFailed: '備份失敗',
  refusals: '{{name}} 的呼叫大量被拒絕：一小時內 {{calls}} 次',
  balanceLow: '餘額不足：剩餘 {{amount}}',
  limitNear: '令牌 {{token}} 的限額即將用完',
  limitText: '已用 {{used}}，上限 {{limit}}',
  tokenExpires: '令牌 {{token}} 將於 {{date}} 到期',
  planRenews: '{{plan}} 將於 {{date}} 以 {{price}} 續期',
  planMissing: '餘額尚欠 {{amount}}',
};
