import { expect, test } from 'vitest';
import { toastDurations } from './toast-durations.ts';

test.each([
  ['error', 5],
  ['warning', 10],
  ['success', 1.5],
  ['info', 3],
  ['notice', 20],
] as const)('a toast of the kind %s stays %d s', (kind, seconds) => expect(toastDurations[kind]).toBe(seconds * 1000));

test('what is to be copied by hand stays until it is dismissed', () => expect(toastDurations.copy).toBeNull());
