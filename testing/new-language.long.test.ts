import { spawnSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newSqlite } from './databases.ts';
import { startProcess } from './process.ts';

const root = path.join(import.meta.dirname, '..');
const packages = ['contract', 'server', 'console', 'testing'];
/** Esperanto. Its texts are the English ones behind a mark. */
const CODE = 'eo_EO';
const MARK = '¿';

/** A copy of the checkout with an additional language. */
let copy: string;

beforeAll(() => {
  copy = mkdtempSync(path.join(tmpdir(), 'new-language-'));
  for (const name of [...packages, 'tsconfig.base.json'])
    cpSync(path.join(root, name), path.join(copy, name), { recursive: true, filter: isSource });
  const modules = path.join(copy, 'node_modules');
  mkdirSync(path.join(modules, '@relay-hub'), { recursive: true });
  for (const name of readdirSync(path.join(root, 'node_modules')))
    if (name !== '@relay-hub') symlinkSync(path.join(root, 'node_modules', name), path.join(modules, name));
  for (const name of packages) symlinkSync(path.join(copy, name), path.join(modules, '@relay-hub', name));

  edit('contract/src/language.ts', "'ja_JP'] as const", `'ja_JP', '${CODE}'] as const`);
  for (const side of ['server', 'console']) {
    const texts = path.join(copy, side, 'src/i18n');
    cpSync(path.join(texts, 'en_US'), path.join(texts, CODE), { recursive: true });
    for (const file of globSync('**/*.ts', { cwd: path.join(texts, CODE) })) mark(path.join(texts, CODE, file));
  }
  edit('server/src/i18n/texts.ts', 'ja_JP };', `ja_JP, ${CODE} };`);
  edit(
    'server/src/i18n/texts.ts',
    'import { zh_CN }',
    `import { ${CODE} } from './${CODE}/texts.ts';\nimport { zh_CN }`,
  );
  const loaders = readFileSync(path.join(copy, 'console/src/i18n/en_US.ts'), 'utf8').replaceAll('en_US', CODE);
  writeFileSync(path.join(copy, `console/src/i18n/${CODE}.ts`), loaders);
  edit(
    'console/src/i18n/languages.ts',
    '  ja_JP: {',
    `  ${CODE}: { name: 'Esperanto', load: async () => (await import('./${CODE}.ts')).${CODE} },\n  ja_JP: {`,
  );
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

const isSource = (file: string): boolean => !/(?:^|[\\/])(?:node_modules|dist)$/.test(file);

function edit(file: string, from: string, to: string): void {
  const place = path.join(copy, file);
  const text = readFileSync(place, 'utf8');
  expect(text).toContain(from);
  writeFileSync(place, text.replace(from, to));
}

/** Marks the texts of a file: values of members, in quotes, that contain a capital letter first. */
function mark(file: string): void {
  const text = readFileSync(file, 'utf8').replaceAll('en_US', CODE);
  writeFileSync(file, text.replaceAll(/^( +['\w.]+:\s+')(?=[A-Z{])/gm, `$1${MARK}`));
}

test.each(['server', 'console'])(
  'a language takes a folder and a line: nothing else of the %s has to know it',
  (side) => {
    const { stdout, status } = spawnSync('tsc', ['-p', path.join(copy, side)], { encoding: 'utf8' });
    expect([stdout, status]).toEqual(['', 0]);
  },
  300_000,
);

test('the server refuses in the language, and it can be that of the site', async () => {
  const server = await startProcess(await newSqlite(), {}, path.join(copy, 'server/src/main.ts'));
  const refused = await fetch(`${server.url}/api/user/self`, { headers: { 'accept-language': 'eo, en;q=0.5' } });
  expect(await refused.json()).toMatchObject({ message: expect.stringMatching(new RegExp(`^${MARK}`)) });
  const set = await server.root.send('PUT', '/api/option/', { key: 'Language', value: CODE });
  expect(set.body).toMatchObject({ success: true });
  await server.kill();
});

test('every file of the console has its texts in the language', () => {
  const read = `
    const { languages } = await import(${JSON.stringify(path.join(copy, 'console/src/i18n/languages.ts'))});
    const loaders = await languages.find(({ code }) => code === '${CODE}').load();
    const texts = await Promise.all(Object.entries(loaders).map(async ([name, load]) => [name, (await load()).texts]));
    console.log(JSON.stringify(Object.fromEntries(texts)));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', read], { encoding: 'utf8' });
  expect(stderr.replaceAll(/.*ExperimentalWarning.*\n|.*--trace-warnings.*\n/g, '')).toBe('');
  const texts = JSON.parse(stdout) as Record<string, unknown>;
  const unmarked = Object.entries(texts).filter(([, of]) => !JSON.stringify(of).includes(MARK));
  expect(unmarked.map(([namespace]) => namespace)).toEqual([]);
});
