import { expect, test } from 'vitest';
import { ChannelHealth } from './channel-health.ts';

const COOL = 5_000;

test('a failure freezes the channel for that model until the cooldown is over', () => {
  const health = new ChannelHealth();
  expect(health.untroubled).toBe(true);
  health.failed(1, 'a', { cooldownMs: COOL, now: 1_000 });
  expect(health.of(1, 'a', 5_999)).toMatchObject({ health: 'frozen', until: 6_000 });
  expect(health.of(1, 'a', 6_000)).toMatchObject({ health: 'probe', until: 0 });
  expect(health.of(1, 'b', 2_000).health).toBe('well');
  expect(health.of(2, 'a', 2_000).health).toBe('well');
  expect(health.frozenUntil(1, 2_000)).toBe(6_000);
  expect(health.frozenUntil(1, 6_000)).toBe(0);
});

test('consecutive failures freeze longer, then close the channel; a success clears it', () => {
  const health = new ChannelHealth();
  const untils = [1, 2, 3, 4, 5, 6, 7, 8].map(() => {
    health.failed(1, 'a', { cooldownMs: COOL, now: 0 });
    return health.of(1, 'a', 0);
  });
  expect(untils.map(({ until }) => until)).toEqual([5, 10, 20, 40, 80, 160, 300, 300].map((s) => s * 1000));
  expect(untils.map(({ health: is }) => is)).toEqual([
    ...Array.from({ length: 4 }, () => 'frozen'),
    ...Array.from({ length: 4 }, () => 'closed'),
  ]);
  health.succeeded(1, 'a', 0);
  expect(health.of(1, 'a', 0).health).toBe('well');
  expect(health.untroubled).toBe(true);
});

test('Retry-After is honoured up to a limit, even without a cooldown', () => {
  const health = new ChannelHealth();
  health.failed(1, 'a', { cooldownMs: 0, retryAfterMs: 30_000, now: 0 });
  expect(health.of(1, 'a', 29_999)).toMatchObject({ health: 'closed', until: 30_000 });
  health.failed(2, 'a', { cooldownMs: COOL, retryAfterMs: 86_400_000, now: 0 });
  expect(health.of(2, 'a', 0).until).toBe(600_000);
  health.failed(3, 'a', { cooldownMs: 0, now: 0 });
  expect(health.of(3, 'a', 0).health).toBe('well');
});

test('expired failures are removed', () => {
  const health = new ChannelHealth();
  health.failed(1, 'a', { cooldownMs: COOL, now: 0 });
  health.sweep(600_000);
  expect(health.untroubled).toBe(false);
  health.sweep(606_000);
  expect(health.untroubled).toBe(true);
});
