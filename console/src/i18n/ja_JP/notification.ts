import type { Texts } from '../texts.ts';

export const texts: Texts['notification'] = {
  title: '通知',
  readAll: 'すべて既読にする',
  unread: '未読',
  channelOff: 'チャネル {{name}} が自動的に無効になりました',
  channelOn: 'チャネル {{name}} が自動的に復旧しました',
  keyOff: 'チャネル {{name}} のキー {{key}} が自動的に無効になりました',
  keyOn: 'チャネル {{name}} のキー {{key}} が自動的に復旧しました',
  usage: 'チャネル {{name}} が不自然な使用量を報告しました',
  usageText: '{{model}}：報告 {{reported}}、課金 {{charged}}',
  order: '注文 {{number}} の確認が必要です',
  backupFailed: 'バックアップに失敗しました',
  refusals: '{{name}} の呼び出しが多数拒否されています：1時間に{{calls}}回',
  balanceLow: '残高が少なくなっています：残り {{amount}}',
  limitNear: 'トークン {{token}} の上限に近づいています',
  limitText: '{{limit}} のうち {{used}} を使用',
  tokenExpires: 'トークン {{token}} は {{date}} に期限切れになります',
  planRenews: '{{plan}} は {{date}} に {{price}} で更新されます',
  planMissing: '残高が {{amount}} 不足しています',
};
