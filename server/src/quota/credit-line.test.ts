import { expect, test } from 'vitest';
import { Outage } from '#db/outage.ts';
import { CreditLine } from './credit-line.ts';

const away = new Outage(new Error('no answer'));
const of = (reserved: number, tokenId = 0) => ({ userId: 1, tokenId: tokenId || 7, limited: tokenId > 0, reserved });

test('a line is as long as the last known balance, at most as configured, and unknown accounts have none', () => {
  const line = new CreditLine({ graceMs: 60_000, credits: 100 });
  expect(line.take(of(1), away)).toBe(false);
  line.noteBalance({ userId: 1, tokenId: 0 }, 1_000);
  expect([line.take(of(60), away), line.take(of(60), away), line.take(of(40), away)]).toEqual([true, false, true]);
  // A token with its own quota has less than its user.
  line.release(1, 100);
  line.noteBalance({ userId: 1, tokenId: 9 }, 30);
  expect([line.take(of(31, 9), away), line.take(of(30, 9), away), line.take(of(71), away)]).toEqual([
    false,
    true,
    false,
  ]);
  // The cost of calls stays in use until it is written.
  line.release(1, 20);
  expect([line.take(of(91), away), line.take(of(90), away)]).toEqual([false, true]);
  line.noteBalance({ userId: 1, tokenId: 0 }, 0);
  line.release(1, 100);
  expect(line.take(of(1), away)).toBe(false);
});

test('calls are admitted for the configured time of an outage, and not after other errors', () => {
  let nowMs = 5_000;
  const line = new CreditLine({ graceMs: 60_000, credits: 100 }, () => nowMs);
  line.noteBalance({ userId: 1, tokenId: 0 }, 1_000);
  expect(line.take(of(1), new Error('a fault of the statement'))).toBe(false);
  expect(line.take(of(1), Object.assign(new Error('conflict'), { code: '40001' }))).toBe(false);
  expect(line.take(of(1), away)).toBe(true);
  nowMs += 60_000;
  expect(line.take(of(1), Object.assign(new Error('starting up'), { code: '57P03' }))).toBe(true);
  nowMs += 1;
  expect(line.take(of(1), away)).toBe(false);
  line.answered();
  expect(line.take(of(1), away)).toBe(true);
});
