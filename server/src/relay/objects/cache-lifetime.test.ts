import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lifetimeIn, tokenHours } from './cache-lifetime.ts';

const NOW = 1_795_000_000;
const at = (seconds: number) => new Date((NOW + seconds) * 1000).toISOString();

test.each([
  [{}, 3600],
  [{ ttl: '300s' }, 300],
  [{ ttl: '0.2s' }, 1],
  [{ ttl: '604800s' }, 604_800],
  [{ expireTime: at(90) }, 90],
  [{ expire_time: at(90) }, 90],
])('%j is kept for %i s', (body, seconds) => expect(lifetimeIn(body, NOW, 'usual')).toBe(seconds));

test.each([
  [{ ttl: 300 }],
  [{ ttl: '-3s' }],
  [{ ttl: '1e9s' }],
  [{ ttl: '0s' }],
  [{ ttl: '604801s' }],
  [{ expireTime: at(-1) }],
  [{ expireTime: 'tomorrow' }],
  [{ ttl: '300s', expireTime: at(90) }],
])('%j is refused', (body) => expect(() => lifetimeIn(body, NOW, 'usual')).toThrow(/not valid|exclude/));

test('a change of the lifetime has to name one', () => expect(() => lifetimeIn({}, NOW, 'given')).toThrow(/required/));

test('a time that is ordered in parts is charged at least as the whole, and at most one token-hour per part more', () => {
  const parts = fc.array(fc.integer({ min: 0, max: 604_800 }), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2_097_152 }), parts, (tokens, seconds) => {
      const charged = seconds.reduce((sum, part) => sum + tokenHours(tokens, part), 0);
      const whole = tokenHours(
        tokens,
        seconds.reduce((sum, part) => sum + part, 0),
      );
      expect(Number.isSafeInteger(charged)).toBe(true);
      expect(charged).toBeGreaterThanOrEqual(whole);
      expect(charged - whole).toBeLessThan(seconds.length);
    }),
  );
});
