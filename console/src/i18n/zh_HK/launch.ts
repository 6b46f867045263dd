import type { Texts } from '../texts.ts';

export const texts: Texts['launch'] = {
  title: '對外開放之前',
  progress: '已完成 {{done}}/{{total}}',
  hide: '不再顯示',
  skip: '不需要',
  need: '還是需要',
  skipOf: '{{name}}：不需要',
  needOf: '{{name}}：還是需要',
  skipped: '已標為不需要',
  open: '開啟',
  openOf: '{{name}}: 開啟',
  items: {
    address: { title: '網站地址', open: '郵件中的連結和回調需要公開地址。', done: '已設定', open_link: '設定地址' },
    tls: { title: 'HTTPS', open: '密鑰和密碼不應以明文傳輸。', done: '已使用 TLS', open_link: '設定 https 地址' },
    mail: { title: '電郵', open: '用戶要用它登入驗證和重設密碼。', done: '已設定', open_link: '設定電郵' },
    backup: { title: '備份', open: '沒有定時備份，或上次備份失敗、已過舊。', done: '備份正常', open_link: '設定備份' },
    gift: { title: '新用戶額度', open: '新用戶沒有額度，甚麼也試不了。', done: '已決定', open_link: '設定額度' },
    prices: {
      title: '價格',
      open_one: '渠道中有 {{count}} 個模型沒有獨立的價格。',
      open_other: '渠道中有 {{count}} 個模型沒有獨立的價格。',
      done: '每個模型都有價格',
      open_link: '開啟價格',
    },
    fees: {
      title: '費用與假期',
      open_one: '渠道使用中的價格有 {{count}} 個欠缺工具費用，或假期快將用完。',
      open_other: '渠道使用中的價格有 {{count}} 個欠缺工具費用，或假期快將用完。',
      done: '渠道使用中的價格都完整',
      open_link: '補全價格',
    },
    gateway: { title: '支付', open: '用戶還不能充值。', done: '用戶可以充值', open_link: '新增閘道' },
    alerts: {
      title: '警示',
      open: '以電郵、聊天或 Webhook 傳送測試訊息，並確認已收到。',
      done: '警報可以送達',
      open_link: '設定警報',
    },
    store: {
      title: '保留回應',
      open: '不保留時，AI SDK 等的智能體在供應商不儲存回應的模型上，第二輪就會失敗。',
      done: '回應會保留一段時間',
      open_link: '設定時間',
    },
  },
};
