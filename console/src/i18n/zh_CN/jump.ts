export const texts = {
  opening: '正在打开 {{name}}…',
  hint: '如果没有反应，请点击下面的按钮；{{name}} 须已安装在本设备上。',
  open: '打开 {{name}}',
  invalid: '链接无效',
  cause: '这里只能打开聊天客户端的链接，而这个不是。',
  home: '回到首页',
};
