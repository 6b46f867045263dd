export const texts = {
  title: '仪表盘',
  balance: '余额',
  used: '已用',
  calls: '调用次数',
};
