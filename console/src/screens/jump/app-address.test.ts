import { expect, test } from 'vitest';
import { appAddress } from './app-address.ts';

const apps = new Map([
  ['opencat:', 'OpenCat'],
  ['ama:', 'AMA'],
]);

test.each([
  ['opencat://team/join?domain=https://hub.example&token=sk-1', 'OpenCat'],
  ['ama://set-api-key?server=https%3A%2F%2Fhub.example&key=sk-1', 'AMA'],
])('%s is followed', (target, name) => expect(appAddress(target, apps)).toMatchObject({ href: target, name }));

test('the returned address is the checked one, not the raw input', () =>
  expect(appAddress(' OpenCat://team/\njoin', apps)).toMatchObject({ href: 'opencat://team/join', name: 'OpenCat' }));

test('the shown address names the place, and no key', () =>
  expect(
    appAddress(`opencat://team/join?domain=https%3A%2F%2Fhub.example&token=sk-1&k=${'a'.repeat(30)}`, apps)?.shown,
  ).toBe('opencat://team/join?domain=https://hub.example&token=••••&k=••••'));

test.each([
  undefined,
  '',
  '/panel',
  '//elsewhere.example',
  '\\\\elsewhere.example',
  'https://elsewhere.example/opencat://team',
  'https://opencat//team',
  'javascript:alert(1)//opencat://',
  ' jAvAscript:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'blob:opencat://team',
  'vbscript:opencat://',
  'file:///etc/passwd',
  'opencat:team',
  'opencat:/team',
  'opencats://team',
  'view-source:ama://x',
])('%j is not followed', (target) => expect(appAddress(target, apps)).toBeUndefined());
