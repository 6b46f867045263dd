import { expect, test } from 'vitest';
import { relatedPage } from './related-pages.ts';

test.each([
  ['/console', '/panel/dashboard'],
  ['/console/token', '/panel/token'],
  ['/console/personal/', '/panel/profile'],
  ['/channel', '/panel/channel'],
  ['/pricing', '/price'],
  ['/panel/invoice/detail/2026-01', ''],
  ['/console/deployment', ''],
  ['/panel/tokne', undefined],
  ['/personal', undefined],
  ['/', undefined],
  ['/console/toString', undefined],
])('%s leads to %s', (path, there) => expect(relatedPage(path)).toBe(there));
