import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { markNames } from './mark-names.ts';

const folder = new URL('../../../public/icons/', import.meta.url);
const files = readdirSync(folder);
const read = (file: string) => readFileSync(new URL(file, folder), 'utf8');
const pictures = files.filter((file) => file.endsWith('.svg'));

test('each mark has a picture, and each picture a licence', () => {
  expect(pictures.map((file) => file.slice(0, -4)).toSorted()).toEqual([...markNames].toSorted());
  const licensed = new Set(read('LICENSES.txt').match(/[\w-]+/g));
  expect([...markNames].filter((name) => !licensed.has(name))).toEqual([]);
});

test.each(pictures)('%s is a shape in one colour, without scripts and addresses', (file) => {
  const inside = read(file).replace(' xmlns="http://www.w3.org/2000/svg"', '');
  expect(inside).not.toMatch(/<(?!\/?(svg|path|g|circle|rect|ellipse|polygon)\b)|\bon\w+=|style=|href|url\(|:\/\//i);
  expect(
    [...inside.matchAll(/fill="([^"]+)"/g)].filter(([, fill]) => fill !== 'currentColor' && fill !== 'none'),
  ).toEqual([]);
});
