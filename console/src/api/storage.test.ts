import { describe, expect, test } from 'vitest';
import { isShaped, type Shape } from './storage.ts';

interface Kept {
  name: string;
  count: number;
  on: boolean;
}
const shape: Shape<Kept> = { name: 'string', count: 'number', on: 'boolean' };

describe('a stored value', () => {
  test('is accepted, also with members of a later version', () => {
    expect(isShaped<Kept>({ name: 'a', count: 0, on: false, more: {} }, shape)).toBe(true);
  });

  test.each([
    undefined,
    null,
    'text',
    [],
    {},
    { name: 'a', count: 1 },
    { name: {}, count: 1, on: true },
    { name: 'a', count: '1', on: true },
    { name: 'a', count: Number.NaN, on: true },
    { name: 'a', count: 1, on: [] },
  ])('is rejected if it has another shape: %j', (kept) => {
    expect(isShaped<Kept>(kept, shape)).toBe(false);
  });
});
