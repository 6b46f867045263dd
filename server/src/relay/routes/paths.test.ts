import { beforeAll, expect, test } from 'vitest';
import { addCaller, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { allowed, pathRows } from './paths.ts';

/** Rows that answer by method, with a path for each. */
const answering = pathRows.flatMap(({ path, endpoint = '', answers }) =>
  typeof answers === 'function' ? [] : [{ path, endpoint, allow: allowed(answers) }],
);
/** Prefixes whose other methods and paths are passed through. */
const passed = pathRows.flatMap(({ path, endpoint, answers }) =>
  typeof answers === 'function' && endpoint !== undefined && path.endsWith('/*') ? [{ path, endpoint }] : [],
);

onOneDatabase('the table of paths', (make) => {
  const hub = hubForSuite(make);
  let who: TestCaller;
  beforeAll(async () => void (who = await addCaller(hub().server.deps.db)));

  test('a method that no row has is refused with those that one has', async () => {
    const found: Record<string, unknown> = {};
    const expected: Record<string, unknown> = {};
    for (const { path, allow } of answering) {
      const isPassed = passed.some((prefix) => `${path}/`.startsWith(prefix.path.slice(0, -1)));
      if (isPassed) continue;
      const url = path.replaceAll('{version}', 'v1beta').replaceAll(/\{\w+\}/g, 'x');
      const headers = { authorization: `Bearer ${who.key}`, 'anthropic-version': '2023-06-01' };
      const { status, headers: sent } = await fetch(hub().url + url, { method: 'PUT', headers });
      found[path] = [status, sent.get('allow')];
      expected[path] = [405, allow];
    }
    expect(Object.keys(found).length).toBeGreaterThan(30);
    expect(found).toEqual(expected);
  });

  test('docs/paths.md has every row; vitest -u writes it', async () => {
    const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
    const named = (endpoint: string) => (endpoint === '' ? '–' : `\`${endpoint}\``);
    const page = [
      '# Paths of API clients',
      '',
      'Written by `server/src/relay/routes/paths.test.ts` from `server/src/relay/routes/paths.ts`, in the order in which a ' +
        'path is looked up. Tasks have more paths: [endpoints](endpoints.md#tasks).',
      '',
      '| path | methods | name in logs and metrics |',
      '|---|---|---|',
      ...answering.map(({ path, endpoint, allow }) => row([`\`${path}\``, allow, named(endpoint)])),
      ...passed.map(({ path, endpoint }) => row([`\`${path}\``, 'all', named(endpoint)])),
      '',
    ];
    await expect(page.join('\n')).toMatchFileSnapshot('../../../../docs/paths.md');
  });
});
