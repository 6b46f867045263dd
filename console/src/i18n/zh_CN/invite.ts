export const texts = {
  title: '邀请好友',
  get: '对方验证邮箱或首次充值后，你得 {{amount}}。',
  give: '对方注册即得 {{amount}}。',
  counts: '已邀请 {{count}} 人。',
  countsEarned: '已邀请 {{count}} 人，共得 {{amount}}。',
  waiting_one: '其中 {{count}} 人尚未验证邮箱，也未充值。',
  waiting_other: '其中 {{count}} 人尚未验证邮箱，也未充值。',
  link: '邀请链接',
  copy: '复制链接',
  code: '二维码',
  codeText: '好友扫码后，即通过你的邀请注册。',
  share: '分享',
};
