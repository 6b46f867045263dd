import type { PriceRule } from '@relay-hub/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { languages } from '#i18n/languages.ts';
import { i18n, startLanguage } from '#i18n/t.ts';
import { ruleWords } from './rule-words.ts';
import { rulesAhead } from './rules-ahead.ts';

const multiply = (rule: Omit<PriceRule, 'effect'>): PriceRule => ({ ...rule, effect: 'multiply' });
const both = (by: number) => ({ input: by, output: by });
const unit = { currency: 'USD', per: 1_000_000 } as const;
const money = { unit, groupRatio: 1 };
const newYear = Date.UTC(2027, 0, 1) / 1000;
const start = async (code: string) =>
  startLanguage(code, async () => {
    const language = languages.find((each) => each.code === code);
    return (await (await language?.load())?.priceRule())?.texts ?? {};
  }, ['priceRule']);
const wordsOf = (code: string) =>
  ruleWords(i18n.translator('priceRule'), languages.find((each) => each.code === code)?.tag ?? code);

describe('rules in English', () => {
  beforeAll(async () => start('en_US'));

  test.each<[string, PriceRule]>([
    ['over 272K tokens: input 2×, output 1.5×', multiply({ over: 272_000, input: 2, output: 1.5 })],
    ['200K tokens or more: 2×', multiply({ over: 199_999, ...both(2) })],
    ['up to 32K tokens: 0.5×', multiply({ up_to: 32_000, ...both(0.5) })],
    ['over 32,768, up to 1M tokens: 3×', multiply({ over: 32_768, up_to: 1_000_000, ...both(3) })],
    ['priority: 2×', multiply({ modes: ['priority'], ...both(2) })],
    ['fast mode / ultrafast: 6×', multiply({ modes: ['fast', 'ultrafast'], ...both(6) })],
    ['bought capacity: free', multiply({ modes: ['scale'], ...both(0) })],
    ['region us / eu: 1.1×', multiply({ regions: ['us', 'eu'], ...both(1.1) })],
    ['any region: 1.1×', multiply({ regions: ['regional'], ...both(1.1) })],
    ['with reasoning: input 1×, output 3.3333×', multiply({ reasoning: true, input: 1, output: 3.3333 })],
    [
      'flex: input 0.5×, output 0.5×, cached input 1×',
      multiply({ modes: ['flex'], ...both(0.5), kinds: { cached_tokens_ratio: 1 } }),
    ],
    [
      'weekdays 09:00–12:00 Beijing time, except on 2 dates: 2×',
      multiply({
        zone: 'Asia/Shanghai',
        days: [1, 2, 3, 4, 5],
        from: '09:00',
        to: '12:00',
        except: ['2027-01-01', '2027-01-02'],
        ...both(2),
      }),
    ],
    ['Mon / Wed all day UTC: 0.9×', multiply({ zone: 'UTC', days: [3, 1], ...both(0.9) })],
    [
      'daily 22:00–06:00 Central European Time: 0.5×',
      multiply({ zone: 'Europe/Paris', from: '22:00', to: '06:00', ...both(0.5) }),
    ],
    [
      'from Jan 1, 2027: input $5.00, output $25.00, cached input $0.50 per 1M',
      {
        effect: 'replace',
        zone: 'UTC',
        valid_from: newYear,
        input: 2.5,
        output: 12.5,
        kinds: { cached_tokens_ratio: 0.1 },
      },
    ],
    ['before Jan 1, 2027 19:00: 0.5×', multiply({ zone: 'UTC', valid_to: newYear + 19 * 3600, ...both(0.5) })],
    ['always: 2×', multiply(both(2))],
  ])('%s', (text, rule) => {
    expect(wordsOf('en_US').rule(rule, money)).toBe(text);
  });

  test('an own price is an amount of the group, a ratio, or an amount per call', () => {
    const rule: PriceRule = { effect: 'replace', modes: ['flex'], input: 1, output: 5 };
    const { rule: text } = wordsOf('en_US');
    expect(text(rule, { unit, groupRatio: 0.5 })).toBe('flex: input $1.00, output $5.00 per 1M');
    expect(text(rule, { unit: undefined })).toBe('flex: ratio input 1, output 5');
    expect(text(rule, { unit, groupRatio: 1, perCall: true })).toBe('flex: $0.002 per call');
    expect(text(multiply({ modes: ['flex'], input: 2, output: 9 }), { ...money, perCall: true })).toBe('flex: 2×');
  });

  test('a fee is an amount per 1,000 events for the group', () => {
    const { fee } = wordsOf('en_US');
    expect(fee({ event: 'web_search', fee: 5 }, money)).toBe('web search $10.00 per 1,000');
    expect(fee({ event: 'web_search', fee: 5 }, { unit, groupRatio: 0.8 })).toBe('web search $8.00 per 1,000');
    expect(fee({ event: 'file_search', fee: 0 }, money)).toBe('file search free per 1,000');
  });
});

const peak = multiply({
  modes: ['priority'],
  over: 200_000,
  zone: 'Asia/Shanghai',
  days: [1, 2, 3, 4, 5],
  from: '09:00',
  to: '12:00',
  input: 2,
  output: 1.5,
});

test.each([
  ['zh_CN', '优先档（priority），提示超过 200K Token，北京时间 周一至周五 09:00–12:00：输入 2 倍，输出 1.5 倍'],
  ['zh_HK', '優先級（priority），提示超過 200K Token，北京時間 週一至週五 09:00–12:00：輸入 2 倍，輸出 1.5 倍'],
  ['ja_JP', 'priority（優先）、入力が 200K トークン超、北京時間 平日（月〜金） 09:00–12:00：入力 2 倍、出力 1.5 倍'],
])('%s has its own words and order', async (code, text) => {
  await start(code);
  expect(wordsOf(code).rule(peak, money)).toBe(text);
});

test('buyers see rules that hold or will hold, and that change something', () => {
  const rules = [
    multiply({ modes: ['flex'], ...both(1) }),
    multiply({ valid_to: newYear, ...both(0.5) }),
    { effect: 'replace', valid_from: newYear, ...both(1) } as const,
  ];
  expect(rulesAhead(rules, newYear - 1)).toEqual(rules.slice(1));
  expect(rulesAhead(rules, newYear)).toEqual(rules.slice(2));
  expect(rulesAhead(undefined, newYear)).toEqual([]);
});
