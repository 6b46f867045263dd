import type { Texts } from '../texts.ts';

export const texts: Texts['inviter'] = {
  title: '邀請記錄',
  text: '誰邀請了別人，以及疑似自己邀請自己的跡象。',
  users: '用戶',
  search: 'ID 或名稱',
  inviter: '邀請人',
  invited: '邀請人數',
  rewarded: '已獎勵',
  earned: '獎勵總額',
  sameAddress: '相同地址',
  sameDay: '單日最多',
  signs: '跡象',
  suspicious: '只看可疑',
  last: '最近邀請',
  reason: { same_address: '相同地址', same_day: '單日大量註冊' },
  invitedCount: '邀請 {{count}} 人',
  showInvited: '檢視被邀請的帳號',
  showAccount: '檢視邀請人帳號',
  showLedger: '檢視帳本',
  emptyTitle: '尚未有人邀請',
  emptyText: '用戶在充值頁分享邀請連結，有人透過它註冊後，邀請人會在此顯示。',
};
