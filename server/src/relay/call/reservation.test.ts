import { ratesOf } from '@relay-hub/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TypicalOutputs } from '#usage/typical-outputs.ts';
import { outputFor, textCredits } from './reservation.ts';

test('the output that credits cover costs no more than them, and one token more does', () => {
  const ratio = fc.integer({ min: 0, max: 4000 }).map((thousandths) => thousandths / 1000);
  fc.assert(
    fc.property(
      fc.record({ input: ratio, output: ratio, group: ratio.filter((value) => value > 0) }),
      fc.nat({ max: 200_000 }),
      fc.integer({ min: 1, max: 2_000_000 }),
      fc.integer({ min: 1, max: 131_072 }),
      ({ input, output, group }, prompt, credits, most) => {
        const rates = ratesOf({ type: 'tokens', input, output }, group);
        const covered = outputFor({ rates, input: prompt }, credits, most);
        expect(covered).toBeGreaterThanOrEqual(0);
        expect(covered).toBeLessThanOrEqual(most);
        // A prompt alone can cost more, and a price above zero costs at least one credit.
        if (covered > 0) expect(textCredits(rates, prompt, covered)).toBeLessThanOrEqual(credits);
        if (covered < most) expect(textCredits(rates, prompt, covered + 1)).toBeGreaterThan(credits);
      },
    ),
  );
});

test('a usual answer is as long as nine of ten, and follows the last ones', () => {
  const typical = new TypicalOutputs();
  for (let i = 1; i < 20; i++) typical.note('m', '/v1/chat/completions', i * 100);
  expect(typical.of('m', '/v1/chat/completions')).toBeUndefined();
  typical.note('m', '/v1/chat/completions', 2000);
  expect(typical.of('m', '/v1/chat/completions')).toBe(1800);
  expect(typical.of('m', '/v1/messages')).toBeUndefined();
  for (let i = 0; i < 80; i++) typical.note('m', '/v1/chat/completions', 10);
  expect(typical.of('m', '/v1/chat/completions')).toBe(64);
});
