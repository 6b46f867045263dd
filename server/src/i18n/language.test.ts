import { describe, expect, test } from 'vitest';
import { en_US } from './en_US/texts.ts';
import { ja_JP } from './ja_JP/texts.ts';
import { AppError } from '#errors.ts';
import { errorText, languageOf, problemText } from './language.ts';
import * as z from 'zod/mini';
import { zh_CN } from './zh_CN/texts.ts';
import { zh_HK } from './zh_HK/texts.ts';

const placeholders = (texts: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, [...new Set(text.match(/\{\w+\}/g))].toSorted()]),
  );
const silent = (texts: Record<string, string>) => Object.keys(texts).filter((key) => texts[key] === '');

describe.each([
  ['zh_HK', zh_HK.errors, zh_HK.rules],
  ['en_US', en_US.errors, en_US.rules],
  ['ja_JP', ja_JP.errors, ja_JP.rules],
])('%s', (_, texts, rules) => {
  test('names in each refusal what the source names', () =>
    expect(placeholders(texts)).toEqual(placeholders(zh_CN.errors)));
  test('is silent only where the source is', () => expect(silent(texts)).toEqual(silent(zh_CN.errors)));
  test('has a text for each rule of the contract', () => {
    expect(Object.keys(rules).toSorted()).toEqual(Object.keys(zh_CN.rules).toSorted());
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

describe.each(['zh_CN', 'zh_HK', 'en_US', 'ja_JP'] as const)('what is wrong with an input, in %s', (language) => {
  const problem = (schema: z.ZodMiniType, input: unknown): string => {
    const { error } = schema.safeParse(input, { reportInput: true });
    return problemText(error!.issues[0]!, language);
  };
  const cases: [z.ZodMiniType, unknown][] = [
    [z.string(), undefined],
    [z.string(), 5],
    [z.string().check(z.minLength(1)), ''],
    [z.string().check(z.minLength(8)), 'x'],
    [z.string().check(z.maxLength(2)), 'long'],
    [z.int(), 1.5],
    [z.number(), 'x'],
    [z.number().check(z.gte(1)), 0],
    [z.number().check(z.gt(1)), 1],
    [z.number().check(z.lte(1)), 2],
    [z.boolean(), 'yes'],
    [z.array(z.string()), 'x'],
    [z.array(z.string()).check(z.minLength(1)), []],
    [z.object({}), 'x'],
    [z.enum(['a', 'b']), 'c'],
    [z.strictObject({}), { x: 1 }],
    [z.email(), 'x'],
    [z.union([z.literal(1), z.literal(2)]), 3],
  ];

  test.each(cases)('%# is told in that language alone', (schema, input) => {
    const text = problem(schema, input);
    expect(text).not.toBe('');
    // Values of the wire are not translated; everything else is.
    const own = text.replaceAll(/true|false|\b[abx]\b|[\d\s,.:：]/g, '');
    if (language === 'en_US') expect(own).toMatch(/^[a-z]+$/i);
    else expect(own).not.toMatch(/[a-z<>=]/i);
  });
});

test('a text that is too short is told as people say it', () => {
  const [issue] = z.string().check(z.minLength(1)).safeParse('').error!.issues;
  expect(problemText(issue!, 'zh_CN')).toBe('不能为空');
  expect(problemText(issue!, 'en_US')).toBe('cannot be empty');
});
