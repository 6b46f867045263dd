import { creditsFor, explainCharge, noUsage, ratesOf, type PriceTerms, type Usage } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import type { UsageFormat } from '#usage/usage-format.ts';

/**
 * A provider's reply or stream events, a price and a group ratio, and the charge computed by hand: parts as `counter
 * count × ratio × group ratio = credits`, their sum, and the credits. `absent` instead of parts: no usage to charge.
 */
export type GoldenRow = [
  what: string,
  messages: unknown[],
  price: PriceTerms,
  group: number,
  parts: string[] | 'absent',
  sum?: string,
  credits?: number,
];

export const tokens = (
  input: number,
  output: number,
  extra_ratios: NonNullable<PriceTerms['extra_ratios']> = {},
): PriceTerms => ({ type: 'tokens', input, output, extra_ratios });
export const perCall = (input: number): PriceTerms => ({ type: 'times', input, output: 0 });

/** Reads a format as the relay does. */
export function readAll(format: UsageFormat, messages: readonly unknown[]): Usage | undefined {
  let raw: unknown;
  for (const message of messages) {
    const found = format.find(message);
    if (found !== undefined) raw = format.merge(raw, found);
  }
  return format.read(raw);
}

/** Runs a table of one wire format. */
export function goldenTable(name: string, format: UsageFormat, rows: GoldenRow[]): void {
  test.each(rows)(`${name}: %s`, (_, messages, price, group, parts, sum, credits) => {
    const usage = readAll(format, messages);
    if (parts === 'absent') {
      expect(usage).toBeUndefined();
      return;
    }
    expect(usage).toBeDefined();
    const explained = explainCharge(price, group, usage ?? noUsage);
    const worked = explained.parts.map(
      (part) => `${part.kind} ${part.count} × ${part.ratio} × ${group} = ${part.credits}`,
    );
    expect(worked).toEqual(parts);
    expect(explained.subtotal).toBe(sum);
    expect(explained.credits).toBe(credits);
    expect(creditsFor(ratesOf(price, group), usage ?? noUsage)).toBe(credits);
  });
}
