import { expect, test } from 'vitest';
import { statementText } from './statement-text.ts';

test('a statement in UTF-8 loses its byte order mark', () => {
  expect(statementText(new TextEncoder().encode('\uFEFF订单号,金额'))).toBe('订单号,金额');
});

test('a statement in GBK is read as GBK', () => {
  const bytes = Uint8Array.from([0xb6, 0xa9, 0xb5, 0xa5, 0xba, 0xc5, 0x2c, 0x31]);
  expect(statementText(bytes)).toBe('订单号,1');
});
