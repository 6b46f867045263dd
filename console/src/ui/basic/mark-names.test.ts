import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { markNames } from './mark-names.ts';

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');
const pictures = read('marks.svg').match(/^<symbol.*$/gm) ?? [];
const idOf = (picture: string) => /id="(\w+)"/.exec(picture)?.[1] ?? '';

test('each mark has a picture, and each picture a licence', () => {
  expect(pictures.map(idOf)).toEqual([...markNames].toSorted());
  const licensed = new Set(read('../../../public/icons/LICENSES.txt').match(/[\w-]+/g));
  expect([...markNames].filter((name) => !licensed.has(name))).toEqual([]);
});

test.each(pictures.map((picture) => [idOf(picture), picture]))(
  '%s is a shape in one colour, without scripts and addresses',
  (_name, picture) => {
    expect(picture).toMatch(/ viewBox="0 0 24 24"/);
    expect(picture).not.toMatch(
      /<(?!\/?(symbol|path|g|circle|rect|ellipse|polygon)\b)|\bon\w+=|style=|href|url\(|:\/\/|fill="/i,
    );
  },
);
