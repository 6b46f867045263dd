import type { Texts } from '../texts.ts';

export const texts: Texts['invite'] = {
  title: '邀請朋友',
  get: '對方驗證電郵或首次充值後，你得 {{amount}}。',
  shareLater_one: '對方每次付款充值，你得其 {{percent}}%，{{count}} 天後入帳。',
  shareLater_other: '對方每次付款充值，你得其 {{percent}}%，{{count}} 天後入帳。',
  shareAtOnce: '對方每次付款充值，你得其 {{percent}}%。',
  shareWaiting: '待入帳 {{amount}}。',
  give: '對方註冊即得 {{amount}}。',
  counts: '已邀請 {{count}} 人。',
  countsEarned: '已邀請 {{count}} 人，共得 {{amount}}。',
  waiting_one: '其中 {{count}} 人尚未驗證電郵，亦未充值。',
  waiting_other: '其中 {{count}} 人尚未驗證電郵，亦未充值。',
  link: '邀請連結',
  copy: '複製連結',
  code: 'QR 碼',
  codeText: '朋友掃描後，即透過你的邀請註冊。',
  share: '分享',
};
