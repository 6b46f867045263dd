import { expect, test } from 'vitest';
import { deviceOf, type Device } from './device-of.ts';

const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko)';

test.each<[string, Device]>([
  [`${mac} Chrome/142.0.0.0 Safari/537.36`, { kind: 'desk', name: 'Chrome 142', system: 'macOS' }],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0',
    { kind: 'desk', name: 'Edge 141', system: 'Windows' },
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    { kind: 'phone', name: 'Safari 18', system: 'iPhone' },
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/142.0 Mobile/15E148 Safari/604.1',
    { kind: 'phone', name: 'Chrome 142', system: 'iPhone' },
  ],
  [
    'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
    { kind: 'phone', name: 'Chrome 140', system: 'Android' },
  ],
  [
    'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0',
    { kind: 'desk', name: 'Firefox 144', system: 'Linux' },
  ],
  [`${mac} Version/17.4 Safari/605.1.15`, { kind: 'desk', name: 'Safari 17', system: 'macOS' }],
  ['curl/8.9.1', { kind: 'program', name: 'curl 8.9.1', system: '' }],
  ['python-requests/2.32', { kind: 'program', name: 'python-requests 2.32', system: '' }],
  ['node', { kind: 'program', name: 'node', system: '' }],
  ['', { kind: 'unknown', name: '', system: '' }],
  ['Mozilla/5.0', { kind: 'unknown', name: '', system: '' }],
  ['<script>alert(1)</script>', { kind: 'unknown', name: '', system: '' }],
])('%s', (userAgent, device) => {
  expect(deviceOf(userAgent)).toEqual(device);
});
