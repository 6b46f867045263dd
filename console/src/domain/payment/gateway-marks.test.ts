import { expect, test } from 'vitest';
import { iconOf } from './gateway-marks.ts';

test.each([
  ['', 'wxpay', 'wechat'],
  ['', 'epay', ''],
  ['Alipay', 'epay', 'alipay'],
  ['wxpay', 'epay', 'wechat'],
  ['constructor', 'alipay', 'constructor'],
  ['https://example.com/Pay.svg', 'alipay', 'https://example.com/Pay.svg'],
] as const)('the icon %j of a gateway of type %s is %j', (icon, type, shown) => {
  expect(iconOf(icon, type)).toBe(shown);
});
