import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { languages } from '#i18n/languages.ts';

const contract = join(import.meta.dirname, '../../../../contract/src');

/** Schemas of values that no form field holds. */
const elsewhere = ['reference.form', 'user.which', 'quota.zero', 'date.form', 'statement.month', 'log.place'];

/** Every error code of the contract's input schemas. */
const codes = new Set(
  globSync(['**/*-input.ts', 'values.ts'], { cwd: contract })
    .flatMap((file) => [...readFileSync(join(contract, file), 'utf8').matchAll(/error: '([a-z_.]+)'/g)])
    .map(([, code = '']) => code)
    .filter((code) => !elsewhere.includes(code)),
);

test.each(languages)('$code has a text for each rule of a field', async ({ load }) => {
  const { texts } = await (await load()).shared();
  expect(codes.size).toBeGreaterThan(10);
  const wordless = [...codes].filter((code) => !(`invalid_${code.replaceAll('.', '_')}` in texts));
  expect(wordless).toEqual([]);
});
