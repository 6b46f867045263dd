import { expect, test } from 'vitest';
import { isSameSite } from './ask-vendor.ts';

test.each([
  ['https://api.vendor.com', 'https://api.vendor.com', true],
  ['https://queue.vendor.com/path', 'https://api.vendor.com', true],
  ['https://a.vendor.com.cn', 'https://b.vendor.com.cn', true],
  ['https://a.com.cn', 'https://b.com.cn', false],
  ['http://queue.vendor.com', 'https://api.vendor.com', false],
  ['https://vendor.com.evil.example', 'https://api.vendor.com', false],
  ['https://evilvendor.com', 'https://api.vendor.com', false],
  ['https://10.0.0.2', 'https://10.0.0.1', false],
  ['http://127.0.0.1:1', 'http://127.0.0.1:2', false],
  ['not an address', 'https://api.vendor.com', false],
])('%s gets a key that was entered for %s: %s', (address, entered, isAllowed) => {
  expect(isSameSite(address, entered)).toBe(isAllowed);
});
