import { expect, test } from 'vitest';
import { limitsInHeaders } from './limit-headers.ts';

const now = Date.parse('2026-11-28T15:00:00Z');
const at = (text: string, [amount, left, resetMs]: [number, number?, number?]) => {
  const [measure, period] = text.split(' ');
  return { cap: { measure, period, amount }, left, resetMs };
};

test.each<[vendor: string, provider: string, headers: Record<string, string>, limits: object[]]>([
  [
    'OpenAI',
    'openai',
    {
      'x-ratelimit-limit-requests': '10000',
      'x-ratelimit-remaining-requests': '9999',
      'x-ratelimit-reset-requests': '6ms',
      'x-ratelimit-limit-tokens': '2000000',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': '6m0s',
    },
    [at('requests minute', [10_000, 9999, 6]), at('tokens minute', [2_000_000, 0, 360_000])],
  ],
  [
    'Azure, without resets',
    'azure',
    { 'x-ratelimit-limit-requests': '60', 'x-ratelimit-remaining-requests': '59' },
    [at('requests minute', [60, 59])],
  ],
  [
    'Groq, whose requests are those of a day',
    'groq',
    {
      'x-ratelimit-limit-requests': '14400',
      'x-ratelimit-remaining-requests': '14370',
      'x-ratelimit-reset-requests': '2m59.56s',
      'x-ratelimit-limit-tokens': '18000',
      'x-ratelimit-remaining-tokens': '17997',
      'x-ratelimit-reset-tokens': '7.66s',
    },
    [at('requests day', [14_400, 14_370, 179_560]), at('tokens minute', [18_000, 17_997, 7660])],
  ],
  [
    'Anthropic',
    'anthropic',
    {
      'anthropic-ratelimit-requests-limit': '50',
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': '2026-11-28T15:00:12Z',
      'anthropic-ratelimit-tokens-limit': '40000',
      'anthropic-ratelimit-tokens-remaining': '39000',
      'anthropic-ratelimit-input-tokens-limit': '30000',
    },
    [at('requests minute', [50, 0, 12_000]), at('tokens minute', [40_000, 39_000])],
  ],
  [
    'Mistral',
    'mistral',
    {
      'x-ratelimit-limit-req-minute': '720',
      'x-ratelimit-remaining-req-minute': '717',
      'x-ratelimit-limit-tokens-minute': '5000000',
      'x-ratelimit-remaining-tokens-minute': '4999911',
    },
    [at('requests minute', [720, 717]), at('tokens minute', [5_000_000, 4_999_911])],
  ],
  [
    'Cerebras',
    'cerebras',
    {
      'x-ratelimit-limit-requests-day': '14400',
      'x-ratelimit-remaining-requests-day': '0',
      'x-ratelimit-reset-requests-day': '33011.5',
      'x-ratelimit-limit-tokens-minute': '60000',
      'x-ratelimit-remaining-tokens-minute': '60000',
      'x-ratelimit-reset-tokens-minute': '11.25',
    },
    [at('requests day', [14_400, 0, 33_011_500]), at('tokens minute', [60_000, 60_000, 11_250])],
  ],
  [
    'SambaNova, which resets at a moment',
    'custom',
    {
      'x-ratelimit-limit-requests': '30',
      'x-ratelimit-remaining-requests': '29',
      'x-ratelimit-reset-requests': String(now / 1000 + 40),
    },
    [at('requests minute', [30, 29, 40_000])],
  ],
  [
    'nothing clear',
    'openai',
    {
      'x-ratelimit-limit-requests': 'many',
      'x-ratelimit-limit-tokens': '-5',
      'anthropic-ratelimit-requests-limit': '1e9',
      'anthropic-ratelimit-tokens-limit': '0',
      'x-ratelimit-limit-tokens-day': '9'.repeat(40),
      'x-ratelimit-limit': '60',
    },
    [],
  ],
])('limits are read as %s names them', (_, provider, headers, limits) => {
  expect(limitsInHeaders(headers, provider, now)).toEqual(limits);
});

test('resets that nobody can read leave the limit without one', () => {
  for (const reset of ['soon', '', '1x', '-3', `${'9m'.repeat(2000)}!`, 'Sat, 28 Nov 2026 15:00:00 GMT'])
    expect(
      limitsInHeaders({ 'x-ratelimit-limit-requests': '5', 'x-ratelimit-reset-requests': reset }, 'openai', now),
    ).toEqual([at('requests minute', [5])]);
});
