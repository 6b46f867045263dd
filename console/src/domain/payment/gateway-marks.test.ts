import { expect, test } from 'vitest';
import { gatewayMarks, markOf } from './gateway-marks.ts';

test('the icon decides the mark, and the type does without an icon', () => {
  expect(markOf('', 'wxpay')).toBe(gatewayMarks.wechat);
  expect(markOf('Alipay', 'epay')).toBe(gatewayMarks.alipay);
  expect(markOf('wxpay', 'epay')).toBe(gatewayMarks.wechat);
});

test('an image address or an unknown name has no mark', () => {
  expect(markOf('https://example.com/pay.svg', 'alipay')).toBeUndefined();
  expect(markOf('constructor', 'alipay')).toBeUndefined();
  expect(markOf('', 'epay')).toBeUndefined();
});
