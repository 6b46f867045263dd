import { describe, expect, test } from 'vitest';
import { en_US, ruleTexts_en_US } from './en_US.ts';
import { ja_JP, ruleTexts_ja_JP } from './ja_JP.ts';
import { AppError } from '#errors.ts';
import { errorText, languageOf } from './language.ts';
import { ruleTexts_zh_CN, zh_CN } from './zh_CN.ts';
import { ruleTexts_zh_HK, zh_HK } from './zh_HK.ts';

const placeholders = (texts: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, [...new Set(text.match(/\{\w+\}/g))].toSorted()]),
  );
const silent = (texts: Record<string, string>) => Object.keys(texts).filter((key) => texts[key] === '');

describe.each([
  ['zh_HK', zh_HK, ruleTexts_zh_HK],
  ['en_US', en_US, ruleTexts_en_US],
  ['ja_JP', ja_JP, ruleTexts_ja_JP],
])('%s', (_, texts, rules) => {
  test('names in each refusal what the source names', () => expect(placeholders(texts)).toEqual(placeholders(zh_CN)));
  test('is silent only where the source is', () => expect(silent(texts)).toEqual(silent(zh_CN)));
  test('has a text for each rule of the contract', () => {
    expect(Object.keys(rules).toSorted()).toEqual(Object.keys(ruleTexts_zh_CN).toSorted());
    expect(silent(rules)).toEqual([]);
  });
});

test.each([
  [undefined, 'zh_CN'],
  ['zh-HK,zh;q=0.9,en;q=0.8', 'zh_HK'],
  ['zh-Hant-TW', 'zh_HK'],
  ['ja', 'ja_JP'],
  ['fr-FR,en-GB;q=0.5', 'en_US'],
  ['fr, *', 'zh_CN'],
])('Accept-Language %s is answered in %s', (header, language) => expect(languageOf(header)).toBe(language));

test.each([
  ['zh_CN', '飞书'],
  ['zh_HK', '飛書'],
  ['en_US', 'Lark'],
  ['ja_JP', 'Lark'],
] as const)('a refusal in %s calls a provider %s', (language, name) =>
  expect(errorText(new AppError('oauth.off', { provider: 'lark' }), language)).toContain(name),
);
