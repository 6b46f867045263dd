import type { GatewayKind } from '@relay-hub/contract';

const byName: Readonly<Record<string, string>> = { wxpay: 'wechat', wechatpay: 'wechat', weixin: 'wechat' };
const byType: Partial<Record<GatewayKind, string>> = { alipay: 'alipay', wxpay: 'wechat', stripe: 'stripe' };

/** The mark or image address that an operator set as the icon, or the mark of the gateway's type. */
export function iconOf(icon: string, type: GatewayKind): string {
  const text = icon.trim();
  if (text === '') return byType[type] ?? '';
  const name = text.toLowerCase();
  return Object.hasOwn(byName, name) ? (byName[name] ?? '') : /^\w+$/.test(name) ? name : text;
}
