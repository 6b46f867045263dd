import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeTextFont, textFont, textSigns } from './lib/font.ts';
import { root } from './lib/run.ts';

test('the font of the console is a subset of the installed package', async () => {
  expect(readFileSync(textFont).equals(await makeTextFont()), 'npm run tool -- font').toBe(true);
});

test('the unicode-range of the font lists exactly its characters', () => {
  const css = readFileSync(path.join(root, 'console/src/theme/font.css'), 'utf8');
  const [face] = css.match(/@font-face \{[^}]*roboto-text[^}]*\}/) ?? [];
  const ranges = [...(face ?? '').matchAll(/U\+([0-9A-F]+)(?:-([0-9A-F]+))?/g)];
  const listed = ranges.flatMap(([, from, to = from]) => {
    const first = Number.parseInt(from!, 16); // the pattern holds it
    return Array.from({ length: Number.parseInt(to!, 16) - first + 1 }, (_, i) => String.fromCharCode(first + i));
  });
  expect(listed.join('')).toBe(textSigns.split('').toSorted().join(''));
});
