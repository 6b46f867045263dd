import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeTextFont, textFont, textSigns } from './lib-font.ts';
import { root } from './lib-run.ts';

test('the letters of the console are those of the package that is installed', async () => {
  expect(readFileSync(textFont).equals(await makeTextFont()), 'npm run tool -- font').toBe(true);
});

test('browsers are told of every letter that is in them, and of no other', () => {
  const css = readFileSync(path.join(root, 'console/src/theme/font.css'), 'utf8');
  const [face] = css.match(/@font-face \{[^}]*roboto-text[^}]*\}/) ?? [];
  const ranges = [...(face ?? '').matchAll(/U\+([0-9A-F]+)(?:-([0-9A-F]+))?/g)];
  const told = ranges.flatMap(([, from, to = from]) => {
    const first = Number.parseInt(from!, 16); // the pattern holds it
    return Array.from({ length: Number.parseInt(to!, 16) - first + 1 }, (_, i) => String.fromCharCode(first + i));
  });
  expect(told.join('')).toBe(textSigns.split('').toSorted().join(''));
});
