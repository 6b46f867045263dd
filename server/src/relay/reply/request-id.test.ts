import { expect, test } from 'vitest';
import { newRequestId } from '#relay/reply/request-id.ts';

test('an id is the time in UTC to the nanosecond, and 8 letters or digits', () => {
  const before = Date.now();
  const id = newRequestId();
  expect(id).toMatch(/^\d{14}\d{9}[A-Za-z0-9]{8}$/);
  const [, year, month, day, hour, minute, second, ms] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{3})/.exec(id)!;
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
  expect(time).toBeGreaterThanOrEqual(before);
  expect(time).toBeLessThanOrEqual(Date.now());
});

test('ids are never the same, and grow with the milliseconds', () => {
  const ids = Array.from({ length: 20_000 }, newRequestId);
  expect(new Set(ids).size).toBe(ids.length);
  const times = ids.map((id) => id.slice(0, 17));
  expect(times).toEqual(times.toSorted());
});
