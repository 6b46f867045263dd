import { describe, expect, test } from 'vitest';
import type { PriceTerms } from './charge.ts';
import { callPriceText, modelPrice, priceText, type PriceUnit } from './price-display.ts';

const usd1k: PriceUnit = { currency: 'USD', per: 1000 };
const usd1m: PriceUnit = { currency: 'USD', per: 1_000_000 };
const cny1k: PriceUnit = { currency: 'CNY', per: 1000 };
const cny1m: PriceUnit = { currency: 'CNY', per: 1_000_000 };

describe('what a ratio costs', () => {
  // ratio | $ / 1K (× 0.002) | $ / 1M | ¥ / 1K (× 0.014) | ¥ / 1M
  test.each<[ratio: number, ...texts: (string | undefined)[]]>([
    [1, '$0.002', '$2.00', '¥0.014', '¥14.00'],
    [0, undefined, undefined, undefined, undefined],
    [1.25, '$0.0025', '$2.50', '¥0.0175', '¥17.50'],
    [0.075, '$0.00015', '$0.15', '¥0.00105', '¥1.05'],
    [0.0375, '$0.000075', '$0.075', '¥0.000525', '¥0.525'],
    [15, '$0.03', '$30.00', '¥0.21', '¥210.00'],
    [0.3333333333, '$0.000666667', '$0.666667', '¥0.00466667', '¥4.66667'],
    [1234.5678, '$2.46914', '$2,469.14', '¥17.2839', '¥17,283.90'],
    [1_000_000, '$2,000.00', '$2,000,000.00', '¥14,000.00', '¥14,000,000.00'],
    [0.000000001, '$0.000000000002', '$0.000000002', '¥0.000000000014', '¥0.000000014'],
    // In floating point the product is 2.0000049999999998, which would be rounded down.
    [1.0000025, '$0.00200001', '$2.00001', '¥0.014', '¥14.00'],
    // Rounding carries into a digit more.
    [0.49999985, '$0.001', '$1.00', '¥0.007', '¥7.00'],
    [1e-7, '$0.0000000002', '$0.0000002', '¥0.0000000014', '¥0.0000014'],
  ])('%f', (ratio, ...texts) => {
    expect([usd1k, usd1m, cny1k, cny1m].map((unit) => priceText([ratio], unit))).toEqual(texts);
  });

  test('a group’s ratio and a kind’s are factors like any other', () => {
    expect(priceText([1.5, 0.1, 0.8], usd1m)).toBe('$0.24');
    expect(priceText([1.5, 0], usd1m)).toBeUndefined();
    expect(priceText([0.1, 0.2], usd1m)).toBe('$0.04');
  });

  test('a call costs the same in every unit of tokens', () => {
    expect(callPriceText([20], 'USD')).toBe('$0.04');
    expect(callPriceText([50, 0.8], 'CNY')).toBe('¥0.56');
    expect(callPriceText([0], 'USD')).toBeUndefined();
  });
});

describe('the price of a model', () => {
  const claude: PriceTerms = {
    type: 'tokens',
    input: 1.5,
    output: 7.5,
    extra_ratios: { cached_read_ratio: 0.1, cached_write_ratio: 1.25 },
  };

  test('says every kind of token that has a price of its own', () => {
    expect(modelPrice(claude, 0.8, usd1m)).toEqual({
      type: 'tokens',
      input: '$2.40',
      output: '$12.00',
      cached: { kind: 'cacheRead', text: '$0.24' },
      others: [{ kind: 'cacheWrite', text: '$3.00' }],
    });
  });

  test('says what cached input costs by default, where there is output', () => {
    expect(modelPrice({ type: 'tokens', input: 1, output: 4 }, 1, usd1m)).toMatchObject({
      cached: { kind: 'cached', text: '$1.00' },
      others: [],
    });
    expect(modelPrice({ type: 'tokens', input: 0.065, output: 0 }, 1, usd1m)).toEqual({
      type: 'tokens',
      input: '$0.13',
      output: undefined,
      cached: null,
      others: [],
    });
  });

  test('is multiplied on the side that a kind belongs to', () => {
    const audio: PriceTerms = {
      type: 'tokens',
      input: 1.25,
      output: 5,
      extra_ratios: { input_audio_tokens_ratio: 16, output_audio_tokens_ratio: 8, audio_seconds_ratio: 2 },
    };
    expect(modelPrice(audio, 1, usd1m)).toMatchObject({
      others: [
        { kind: 'inputAudio', text: '$40.00' },
        // A minute, not a million seconds.
        { kind: 'audioSeconds', text: '$0.0003' },
        { kind: 'outputAudio', text: '$80.00' },
      ],
    });
  });

  test('by the call has no tokens to speak of', () => {
    expect(modelPrice({ type: 'times', input: 20, output: 3 }, 0.8, usd1m)).toEqual({ type: 'times', call: '$0.032' });
    expect(modelPrice({ type: 'times', input: 0, output: 0 }, 1, usd1m)).toEqual({ type: 'times', call: undefined });
  });

  test('is free for a group whose ratio is zero', () => {
    expect(modelPrice(claude, 0, cny1k)).toMatchObject({ input: undefined, output: undefined });
  });
});
