import { createInstance } from 'i18next';
import { describe, expect, test } from 'vitest';
import { languages } from '../languages.ts';
import { zh_CN } from '../zh_CN.ts';
import light, { startLanguage } from './i18next.ts';

const namespaces = Object.keys(zh_CN) as (keyof typeof zh_CN)[];
const counts = [undefined, 0, 1, 2, 5];

function keysOf(texts: object, before = ''): string[] {
  return Object.entries(texts).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null ? keysOf(value, `${before}${name}.`) : [before + name],
  );
}

// The library itself says what is right: whatever we write, ours must say the same.
describe.each(languages)('$code', ({ code, load }) => {
  test('says every text as i18next does, whatever the count', async () => {
    const loaders = await load();
    const texts: Record<string, object> = Object.fromEntries(
      await Promise.all(namespaces.map(async (name) => [name, (await loaders[name]()).texts] as const)),
    );
    const library = createInstance();
    await library.init({
      lng: code,
      resources: { [code]: texts },
      ns: namespaces,
      defaultNS: 'app',
      interpolation: { escapeValue: false },
    });
    await startLanguage(code, async (_, name) => texts[name] ?? {}, namespaces);
    let compared = 0;
    for (const ns of namespaces) {
      const names = JSON.stringify(texts[ns]).matchAll(/\{\{(\w+)\}\}/g);
      const filled = Object.fromEntries([...names].map(([, name = '']) => [name, `<${name}>`]));
      const bases = new Set(keysOf(texts[ns] ?? {}).flatMap((key) => [key, key.replace(/_(zero|one|other)$/, '')]));
      for (const key of bases) {
        for (const count of counts) {
          const { count: _, ...others } = filled;
          const values = { ...others, ns, ...(count !== undefined && { count }) };
          const right = (library.t as (key: string, values: object) => unknown)(key, values);
          // What is left empty in a language is not asked for there; the library would say its key.
          if (typeof right !== 'string' || right.includes('{{count}}') || light.t(key, values) === '') continue;
          expect(light.t(key, values)).toBe(right);
          compared += 1;
        }
      }
    }
    expect(compared).toBeGreaterThan(1000);
  });
});

test('a language that is chosen brings its texts with it', async () => {
  const said = { de: { greeting: 'Guten Tag, {{name}}' }, fr: { greeting: 'Bonjour, {{name}}' } };
  await startLanguage('de', async (code) => said[code as 'de'], ['app']);
  const before = light.getFixedT(null, 'app');
  expect(before('greeting', { name: 'Ada' })).toBe('Guten Tag, Ada');
  await light.changeLanguage('fr');
  expect(light.language).toBe('fr');
  expect(light.t('greeting', { name: 'Ada' })).toBe('Bonjour, Ada');
  expect(light.getFixedT(null, 'app')).not.toBe(before);
  expect(light.exists('greeting', { ns: 'app' })).toBe(true);
  expect(light.exists('farewell', { ns: 'app' })).toBe(false);
});
