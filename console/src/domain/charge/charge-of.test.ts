import { logType, type Log, type LogMetadata } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { chargeOf, fractionDigits, groupDigits } from './charge-of.ts';

const row = (metadata: LogMetadata | null, quota: number): Log => ({
  id: 1,
  user_id: 1,
  created_at: 1,
  type: logType.consume,
  content: '',
  username: '',
  token_id: 0,
  token_name: '',
  model_name: 'claude-sonnet-4',
  quota,
  prompt_tokens: 3412,
  completion_tokens: 1286,
  channel_id: 0,
  request_time: 0,
  is_stream: true,
  source_ip: '',
  request_id: '',
  metadata,
  channel: null,
});
const price: LogMetadata = { price_type: 'tokens', input_ratio: 1.5, output_ratio: 7.5, group_ratio: 0.8 };
const cache: LogMetadata = {
  cached_read_tokens: 18_944,
  cached_read_ratio: 0.1,
  cached_write_tokens: 2048,
  cached_write_ratio: 1.25,
};

test('items add up to the charge, with the ratios stored in the row', () => {
  const charge = chargeOf(row({ ...price, ...cache }, 17_156));
  expect(charge).toMatchObject({ subtotal: '17155.68', rounding: '0.32', agrees: true });
  expect(charge?.parts.map(({ credits }) => credits)).toEqual(['4094.4', '2273.28', '3072', '7716']);
});

test('only a shortfall of the balance, or a plan, explains a smaller charge', () => {
  expect(chargeOf(row({ ...price, shortfall: 810 }, 11_001))?.agrees).toBe(true);
  const plans = [{ id: 1, name: 'Coder', credits: 810 }];
  expect(chargeOf(row({ ...price, plans }, 11_001))?.agrees).toBe(true);
  expect(chargeOf(row({ ...price, plans: [...plans, ...plans] }, 11_001))?.agrees).toBe(false);
  expect(chargeOf(row(price, 11_001))?.agrees).toBe(false);
});

test('a row without a price has no breakdown', () => {
  expect(chargeOf(row(null, 5))).toBeUndefined();
  expect(chargeOf(row({ outcome: 'released' }, 0))).toBeUndefined();
});

test('decimals keep every digit', () => {
  expect(groupDigits('17155.68', 2)).toBe('17,155.68');
  expect(groupDigits('12345678901234567890.1', 3)).toBe('12,345,678,901,234,567,890.100');
  expect(groupDigits('-1000')).toBe('−1,000');
  expect(fractionDigits(['4094.4', '3072', '0.125'])).toBe(3);
});
