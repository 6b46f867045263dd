import { describe, expect, test } from 'vitest';
import { languages } from './languages.ts';
import { zh_CN } from './zh_CN.ts';
import type { Namespace } from './texts.ts';

const namespaces = Object.keys(zh_CN) as Namespace[];
const others = languages.filter(({ code }) => code !== 'zh_CN');

function flat(texts: object, before = ''): [key: string, text: string][] {
  return Object.entries(texts).flatMap(([name, value]: [string, string | object]) =>
    typeof value === 'string' ? [[before + name, value] as [string, string]] : flat(value, `${before}${name}.`),
  );
}

/**
 * `{{name}}` is filled in as text, `{name}` with an element; both are the code's to give, in every language alike. Only
 * how many one is may be left to the words: "the only model".
 */
const placeholders = (key: string, text: string) =>
  [...new Set(text.match(/\{\{\w+\}\}|\{\w+\}/g))]
    .filter((name) => name !== '{{count}}' || !/_(?:zero|one)$/.test(key))
    .toSorted();

const placeholdersByKey = (texts: object) =>
  Object.fromEntries(flat(texts).map(([key, text]) => [key, placeholders(key, text)]));

describe.each(namespaces)('%s', (namespace) => {
  test.each(others)('$code has the placeholders of the source', async ({ load }) => {
    const source = (await zh_CN[namespace]()).texts;
    expect(placeholdersByKey((await (await load())[namespace]()).texts)).toEqual(placeholdersByKey(source));
  });

  test.each(others)('$code says something wherever the source does', async ({ load }) => {
    const source = new Map(flat((await zh_CN[namespace]()).texts));
    const silent = flat((await (await load())[namespace]()).texts).filter(
      ([key, text]) => !text.trim() && source.get(key),
    );
    expect(silent).toEqual([]);
  });
});

test.each(languages)('$code has for each count the forms that its grammar asks for', async ({ tag, load }) => {
  const forms = new Intl.PluralRules(tag).resolvedOptions().pluralCategories;
  for (const namespace of namespaces) {
    const keys = new Set(flat((await (await load())[namespace]()).texts).map(([key]) => key));
    const counted = [...keys].filter((key) => key.endsWith('_other')).map((key) => key.slice(0, -'_other'.length));
    // `title_other` may also be the text for whatever is called "other".
    for (const base of counted.filter((key) => keys.has(`${key}_one`)))
      expect(forms.filter((form) => !keys.has(`${base}_${form}`))).toEqual([]);
  }
});
