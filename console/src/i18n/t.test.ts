import { expect, test } from 'vitest';
import { i18n, startLanguage, type Translate } from './t.ts';

const texts: Record<string, Record<string, object>> = {
  en_US: {
    app: { greeting: 'Hello, {{name}}', nested: { one: 'first' } },
    log: { rows_zero: 'no rows', rows_one: 'one row', rows_other: '{{count}} rows', greeting: 'Log' },
  },
  ja_JP: { app: { greeting: '{{name}}さん' }, log: { rows_other: '{{count}}行' } },
};
const started: string[] = [];

async function load(code: string, namespace: string): Promise<object> {
  started.push(`${code}/${namespace}`);
  const found = texts[code]?.[namespace];
  if (!found) throw new Error('offline');
  return found;
}
/** The test's own texts have other keys than the console's. */
const translator = (...namespaces: ('app' | 'log')[]) =>
  i18n.translator(namespaces) as unknown as (...input: [key: string, values?: object]) => string;

test('texts are found by key, by namespace and in the order of the namespaces', async () => {
  await startLanguage('en_US', load, ['app', 'log']);
  expect(translator('app')('greeting', { name: 'Ada' })).toBe('Hello, Ada');
  expect(translator('app')('nested.one')).toBe('first');
  expect(translator('app')('log:greeting')).toBe('Log');
  expect(translator('log', 'app')('greeting')).toBe('Log');
  expect(translator('log')('nested.one')).toBe('nested.one');
  expect([i18n.exists('app', 'greeting'), i18n.exists('app', 'farewell')]).toEqual([true, false]);
});

test('a count selects the plural form of the language', async () => {
  await startLanguage('en_US', load, ['app', 'log']);
  expect([0, 1, 2].map((count) => translator('log')('rows', { count }))).toEqual(['no rows', 'one row', '2 rows']);
  await i18n.changeLanguage('ja_JP');
  expect([0, 1, 2].map((count) => translator('log')('rows', { count }))).toEqual(['0行', '1行', '2行']);
});

test('a change of language loads the namespaces in use first and changes the translator', async () => {
  await startLanguage('en_US', load, ['app']);
  const before: Translate = i18n.translator('app');
  expect(i18n.translator('app')).toBe(before);
  await i18n.changeLanguage('ja_JP');
  expect(i18n.language).toBe('ja_JP');
  expect(i18n.translator('app')).not.toBe(before);
  expect(translator('app')('greeting', { name: 'Ada' })).toBe('Adaさん');
});

test('a load that failed is repeated by the next one', async () => {
  await startLanguage('en_US', load, ['app']);
  started.length = 0;
  await expect(i18n.loadNamespaces(['books'])).rejects.toThrow('offline');
  await expect(i18n.loadNamespaces(['books'])).rejects.toThrow('offline');
  expect(started).toEqual(['en_US/books', 'en_US/books']);
});
