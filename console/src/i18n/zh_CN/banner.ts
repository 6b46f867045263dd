export const texts = {
  planned: '计划维护 {{span}}：',
  now: '维护中，至 {{end}}：',
  close: '关闭公告',
};
