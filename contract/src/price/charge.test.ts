import { describe, expect, test } from 'vitest';
import type { PriceTerms } from './charge.ts';
import { creditsFor, explainCharge, ratesOf } from './charge.ts';
import { noUsage, type Usage } from './usage-kinds.ts';
import { sumOf } from './testing.ts';

const tokens = (
  input: number,
  output: number,
  extra_ratios: NonNullable<PriceTerms['extra_ratios']> = {},
): PriceTerms => ({ type: 'tokens', input, output, extra_ratios });
const perCall = (input: number): PriceTerms => ({ type: 'times', input, output: 0 });

const formerGpt4o = tokens(2.5, 7.5);
const gpt4o = tokens(1.25, 5, { cached_tokens_ratio: 0.5 });
const gpt4oMini = tokens(0.075, 0.3, { cached_tokens_ratio: 0.5 });
const gpt5 = tokens(0.625, 5, { cached_tokens_ratio: 0.1 });
const o4Mini = tokens(0.55, 2.2, { cached_tokens_ratio: 0.25 });
const audio = tokens(1.25, 5, { input_audio_tokens_ratio: 16, output_audio_tokens_ratio: 8 });
const image = tokens(2.5, 20, { cached_tokens_ratio: 0.25, input_image_tokens_ratio: 2 });
const thinking = tokens(0.2, 0.6, { reasoning_tokens_ratio: 3.3333333333 });
const sonnet = tokens(1.5, 7.5);
const haiku = tokens(0.5, 2.5, { cached_read_ratio: 0.08, cached_write_ratio: 1.5, cached_write_1h_ratio: 2.4 });
const deepseek = tokens(0.14, 0.21, { cached_tokens_ratio: 0.1 });
const embedding = tokens(0.01, 0.01);
const free = tokens(0, 0);

type Row = [what: string, terms: PriceTerms, group: number, usage: Partial<Usage>, subtotal: string, credits: number];

/** Calculated by hand: the first column lists the products of a row, the fifth contains their sum. */
const golden: Row[] = [
  // OpenAI, text
  ['1000 × 1.25 + 500 × 5', gpt4o, 1, { input: 1000, output: 500 }, '3750', 3750],
  ['1 × 1.25', gpt4o, 1, { input: 1 }, '1.25', 2],
  ['1 × 5', gpt4o, 1, { output: 1 }, '5', 5],
  ['4 × 1.25: no rounding where nothing is left over', gpt4o, 1, { input: 4 }, '5', 5],
  ['3 × 1.25 + 1 × 5', gpt4o, 1, { input: 3, output: 1 }, '8.75', 9],
  ['(1000 × 1.25 + 500 × 5) × 0.8', gpt4o, 0.8, { input: 1000, output: 500 }, '3000', 3000],
  ['(1000 × 1.25 + 500 × 5) × 1.5', gpt4o, 1.5, { input: 1000, output: 500 }, '5625', 5625],
  ['(7 × 1.25 + 3 × 5) × 1.5 = 23.75 × 1.5', gpt4o, 1.5, { input: 7, output: 3 }, '35.625', 36],
  ['7 × 0.55 + 11 × 2.2 = 3.85 + 24.2', o4Mini, 1, { input: 7, output: 11 }, '28.05', 29],
  // OpenAI, cached part of the prompt
  [
    'contract: (600 + 400 × 0.5) × 2.5 = 800 × 2.5, + 500 × 7.5',
    formerGpt4o,
    1,
    { input: 600, cached: 400, output: 500 },
    '5750',
    5750,
  ],
  [
    '600 × 1.25 + 400 × 0.625 + 500 × 5 = 750 + 250 + 2500',
    gpt4o,
    1,
    { input: 600, cached: 400, output: 500 },
    '3500',
    3500,
  ],
  ['the whole prompt cached: 1024 × 0.625', gpt4o, 1, { cached: 1024 }, '640', 640],
  ['1 × 0.625', gpt4o, 1, { cached: 1 }, '0.625', 1],
  ['3 × 0.625 is 1.875 and not truncated to 1', gpt4o, 1, { cached: 3 }, '1.875', 2],
  [
    '100 × 0.075 + 900 × 0.0375 + 250 × 0.3 = 7.5 + 33.75 + 75',
    gpt4oMini,
    1,
    { input: 100, cached: 900, output: 250 },
    '116.25',
    117,
  ],
  ['the same × 0.8', gpt4oMini, 0.8, { input: 100, cached: 900, output: 250 }, '93', 93],
  ['the same × 1.5', gpt4oMini, 1.5, { input: 100, cached: 900, output: 250 }, '174.375', 175],
  ['1 × 0.0375 × 0.8', gpt4oMini, 0.8, { cached: 1 }, '0.03', 1],
  [
    '200 × 0.625 + 800 × 0.0625 + 100 × 5 = 125 + 50 + 500',
    gpt5,
    1,
    { input: 200, cached: 800, output: 100 },
    '675',
    675,
  ],
  ['1 × 0.0625', gpt5, 1, { cached: 1 }, '0.0625', 1],
  ['8 × 0.1375 = 0.55 × 0.25 × 8', o4Mini, 1, { cached: 8 }, '1.1', 2],
  ['cached without a ratio of its own is half: 10 × 0.5', tokens(1, 1), 1, { cached: 10 }, '5', 5],
  [
    'a cached ratio of 0 makes that part free: 10 × 1 + 90 × 0',
    tokens(1, 1, { cached_tokens_ratio: 0 }),
    1,
    { input: 10, cached: 90 },
    '10',
    10,
  ],
  // OpenAI, audio and images
  [
    '100 × 1.25 + 50 × 20 + 30 × 5 + 200 × 40 = 125 + 1000 + 150 + 8000',
    audio,
    1,
    { input: 100, inputAudio: 50, output: 30, outputAudio: 200 },
    '9275',
    9275,
  ],
  ['1 × 20 × 0.8', audio, 0.8, { inputAudio: 1 }, '16', 16],
  ['3 × 40 × 1.5', audio, 1.5, { outputAudio: 3 }, '180', 180],
  [
    'audio without a ratio of its own costs as text: 10 × 1.25 + 10 × 5',
    gpt4o,
    1,
    { inputAudio: 10, outputAudio: 10 },
    '62.5',
    63,
  ],
  [
    '50 × 2.5 + 323 × 5 + 1056 × 20 = 125 + 1615 + 21120',
    image,
    1,
    { input: 50, inputImage: 323, output: 1056 },
    '22860',
    22860,
  ],
  ['image without a ratio of its own costs as text: 7 × 1.25', gpt4o, 1, { inputImage: 7 }, '8.75', 9],
  ['cached beside images: 8 × 0.625 + 1 × 5', image, 1, { cached: 8, inputImage: 1 }, '10', 10],
  // Reasoning
  [
    'reasoning costs as output: 10 × 0.625 + 20 × 5 + 300 × 5 = 6.25 + 100 + 1500',
    gpt5,
    1,
    { input: 10, output: 20, reasoning: 300 },
    '1606.25',
    1607,
  ],
  [
    '50 × 0.2 + 10 × 0.6 + 100 × 1.99999999998 = 10 + 6 + 199.999999998',
    thinking,
    1,
    { input: 50, output: 10, reasoning: 100 },
    '215.999999998',
    216,
  ],
  ['3 × 0.6 × 3.3333333333', thinking, 1, { reasoning: 3 }, '5.99999999994', 6],
  [
    'a ratio of 2.5: 40 × 1 × 2.5 × 0.8',
    tokens(0.2, 1, { reasoning_tokens_ratio: 2.5 }),
    0.8,
    { reasoning: 40 },
    '80',
    80,
  ],
  // Anthropic: cache counters in addition to the prompt
  [
    'design: 3412 × 1.5 × 0.8 + 18944 × 0.15 × 0.8 + 2048 × 1.875 × 0.8 + 1286 × 7.5 × 0.8 = 4094.4 + 2273.28 + 3072 + 7716',
    sonnet,
    0.8,
    { input: 3412, cacheRead: 18944, cacheWrite: 2048, output: 1286 },
    '17155.68',
    17156,
  ],
  ['1000 × 1.5 + 500 × 7.5', sonnet, 1, { input: 1000, output: 500 }, '5250', 5250],
  ['no plain input at all: 10 × 0.15', sonnet, 1, { cacheRead: 10 }, '1.5', 2],
  ['4 × 1.875', sonnet, 1, { cacheWrite: 4 }, '7.5', 8],
  ['1 hour: 5 × 3', sonnet, 1, { cacheWrite1h: 5 }, '15', 15],
  ['both writes: 4 × 1.875 + 5 × 3', sonnet, 1, { cacheWrite: 4, cacheWrite1h: 5 }, '22.5', 23],
  [
    'own ratios: 100 × 0.04 + 10 × 0.75 + 10 × 1.2 + 20 × 2.5 = 4 + 7.5 + 12 + 50',
    haiku,
    1,
    { cacheRead: 100, cacheWrite: 10, cacheWrite1h: 10, output: 20 },
    '73.5',
    74,
  ],
  ['the same × 1.5', haiku, 1.5, { cacheRead: 100, cacheWrite: 10, cacheWrite1h: 10, output: 20 }, '110.25', 111],
  // DeepSeek and embeddings: far below a credit per token
  [
    '36 × 0.14 + 64 × 0.014 + 100 × 0.21 = 5.04 + 0.896 + 21',
    deepseek,
    1,
    { input: 36, cached: 64, output: 100 },
    '26.936',
    27,
  ],
  ['8 × 0.01', embedding, 1, { input: 8 }, '0.08', 1],
  ['100 × 0.01 is one credit exactly', embedding, 1, { input: 100 }, '1', 1],
  ['101 × 0.01', embedding, 1, { input: 101 }, '1.01', 2],
  ['8191 × 0.01 × 0.8', embedding, 0.8, { input: 8191 }, '65.528', 66],
  // By call
  ['1000 × 50', perCall(50), 1, {}, '50000', 50_000],
  ['1000 × 50, whatever was counted', perCall(50), 1, { input: 9999, output: 9999 }, '50000', 50_000],
  ['1000 × 50 × 0.8', perCall(50), 0.8, {}, '40000', 40_000],
  ['1000 × 0.0333 × 1.5 = 49.95, rounded down', perCall(0.0333), 1.5, {}, '49.95', 49],
  ['1000 × 0.0001 is less than a credit', perCall(0.0001), 1, {}, '0.1', 1],
  ['1000 × 5 × 0', perCall(5), 0, {}, '0', 0],
  ['1000 × 0', perCall(0), 1, {}, '0', 0],
  ['3 images: 3 × 1000 × 5', perCall(5), 1, { units: 3 }, '15000', 15_000],
  ['3 × 49.95 = 149.85, rounded down once', perCall(0.0333), 1.5, { units: 3 }, '149.85', 149],
  ['7 × 0.1 is less than a credit', perCall(0.0001), 1, { units: 7 }, '0.7', 1],
  ['images say nothing to a price by token: 10 × 1.25', gpt4o, 1, { input: 10, units: 3 }, '12.5', 13],
  // Free, and the minimum
  ['group ratio 0', gpt4o, 0, { input: 1000, output: 500 }, '0', 0],
  ['group ratio 0 and nothing counted', gpt4o, 0, {}, '0', 0],
  ['price 0', free, 1, { input: 1000, output: 500 }, '0', 0],
  ['price 0 in an expensive group', free, 1.5, { input: 1000, cached: 10, output: 500 }, '0', 0],
  ['zero usage at a price above zero', gpt4o, 1, {}, '0', 1],
  ['zero usage × 0.8', gpt4oMini, 0.8, {}, '0', 1],
  ['only the input is free, and only it was used', tokens(0, 5), 1, { input: 5000 }, '0', 1],
  ['only the output is free', tokens(1.25, 0), 1, { input: 10, output: 5000 }, '12.5', 13],
  // Decimals that binary fractions miss
  ['3 × 0.1 is 0.3, not 0.30000000000000004', tokens(0.1, 0.1), 1, { input: 3 }, '0.3', 1],
  ['10 × 0.1 is 1, not more', tokens(0.1, 0.1), 1, { input: 10 }, '1', 1],
  ['10 × 0.7 × 1.1', tokens(0.7, 0.7), 1.1, { input: 10 }, '7.7', 8],
  ['100 × 1.1 × 1.1 is 121, not 121.00000000000001', tokens(1.1, 1.1), 1.1, { input: 100 }, '121', 121],
  ['1 × 1e-7', tokens(1e-7, 0), 1, { input: 1 }, '0.0000001', 1],
  ['10000001 × 1e-7', tokens(1e-7, 0), 1, { input: 10_000_001 }, '1.0000001', 2],
  ['3 × 3.3333333333', tokens(3.3333333333, 0), 1, { input: 3 }, '9.9999999999', 10],
  [
    '3 × 3.3333333333 × 3.3333333333',
    tokens(3.3333333333, 0),
    3.3333333333,
    { input: 3 },
    '33.33333333266666666667',
    34,
  ],
  // Large
  ['10^9 × 1.25 + 10^9 × 5', gpt4o, 1, { input: 1_000_000_000, output: 1_000_000_000 }, '6250000000', 6_250_000_000],
  [
    'a million tokens at a million × 1000 (2^53 is 9 × 10^15)',
    tokens(1_000_000, 0),
    1000,
    { input: 1_000_001 },
    '1000001000000000',
    1_000_001_000_000_000,
  ],
];

describe('golden table', () => {
  test.each(golden)('%s', (_, terms, group, usage, subtotal, credits) => {
    const explained = explainCharge(terms, group, { ...noUsage, ...usage });
    expect(explained).toMatchObject({ subtotal, credits });
    expect(creditsFor(ratesOf(terms, group), { ...noUsage, ...usage })).toBe(credits);
    expect(sumOf(explained.parts.map((part) => part.credits))).toBe(sumOf([subtotal]));
    expect(sumOf([subtotal, explained.rounding])).toBe(sumOf([String(credits)]));
  });
});

test('a part says how often, at which ratio, and what it came to', () => {
  const { parts } = explainCharge(sonnet, 0.8, {
    ...noUsage,
    input: 3412,
    cacheRead: 18944,
    cacheWrite: 2048,
    output: 1286,
  });
  expect(parts).toEqual([
    { kind: 'input', count: 3412, ratio: '1.5', credits: '4094.4' },
    { kind: 'cacheRead', count: 18944, ratio: '0.15', credits: '2273.28' },
    { kind: 'cacheWrite', count: 2048, ratio: '1.875', credits: '3072' },
    { kind: 'output', count: 1286, ratio: '7.5', credits: '7716' },
  ]);
});

test('more than a database and a browser read alike is never charged', () => {
  const absurd = tokens(1_000_000, 1_000_000);
  const explained = explainCharge(absurd, 1_000_000, { ...noUsage, input: 1_000_000_000 });
  // 10^9 × 10^6 × 10^6 = 10^21, of which 2^53 - 1 are charged.
  expect(explained).toMatchObject({ subtotal: '1000000000000000000000', credits: 9_007_199_254_740_991 });
  expect(explained.rounding).toBe('-999990992800745259009');
  expect(creditsFor(ratesOf(perCall(1_000_000), 1000), { ...noUsage, units: 1_000_000_000 })).toBe(
    9_007_199_254_740_991,
  );
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, -5, 1.5, 2 ** 53])('a count of %d costs nothing', (count) => {
  const usage = { ...noUsage, input: count, output: 10, units: count };
  expect(creditsFor(ratesOf(gpt4o, 1), usage)).toBe(50);
  expect(explainCharge(gpt4o, 1, usage)).toMatchObject({ subtotal: '50', credits: 50 });
  expect(creditsFor(ratesOf(perCall(5), 1), usage)).toBe(5000);
});
