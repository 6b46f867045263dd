import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepInstead, keepOnce } from './atomic-file.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'kept-file-'));
  file = path.join(folder, 'one');
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a file is made once, for its owner, and nothing stays beside it', () => {
  expect([keepOnce(file, 'first\n'), keepOnce(file, 'second\n')]).toEqual([true, false]);
  expect(readFileSync(file, 'utf8')).toBe('first\n');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['one']);
});

test('a file is put in place of another', () => {
  writeFileSync(file, '');
  keepInstead(file, 'whole\n');
  expect(readFileSync(file, 'utf8')).toBe('whole\n');
  expect(readdirSync(folder)).toEqual(['one']);
});

test('where it cannot be made, it is told, and nothing stays', () => {
  expect(() => keepOnce(path.join(folder, 'none', 'one'), 'text')).toThrow('ENOENT');
  expect(readdirSync(folder)).toEqual([]);
});
