import { beforeAll, expect, test } from 'vitest';
import { addCaller, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { keyUsageRows } from '#features/analytics/key-usage.ts';
import { newApiKeyRows } from '#features/new-api/key-rows.ts';
import { taskRows } from '#tasks/task-front.ts';
import { allowed, relayRows } from './paths.ts';

/** As the server has them. */
const rows = [...taskRows, ...keyUsageRows, ...newApiKeyRows, ...relayRows];
/** Rows that answer by method, with a path for each. */
const answering = rows.flatMap(({ path, endpoint = '', answers }) =>
  typeof answers === 'object' ? [{ path, endpoint, allow: allowed(answers) }] : [],
);
/** Prefixes of API clients, below which unknown paths are refused. */
const prefixes = rows.flatMap(({ path, answers }) => (answers ? [] : [path]));
/** Prefixes whose other methods and paths are passed through. */
const passed = rows.flatMap(({ path, endpoint, answers }) =>
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
      const url = path
        .replaceAll('{version}', 'v1beta')
        .replaceAll('{number}', '1')
        .replace('/suno/submit/{name}', '/suno/submit/MUSIC')
        .replaceAll(/\{\w+\}/g, 'x');
      const headers = { authorization: `Bearer ${who.key}`, 'anthropic-version': '2023-06-01' };
      const { status, headers: sent } = await fetch(hub().url + url, { method: 'PUT', headers });
      found[path] = [status, sent.get('allow')];
      expected[path] = [405, allow];
    }
    expect(Object.keys(found).length).toBeGreaterThan(100);
    expect(found).toEqual(expected);
  });

  test('a path that no row has is refused below each prefix, and not answered with a page', async () => {
    const found = prefixes.map(async (prefix) => {
      const path = prefix.replaceAll('{mode}', 'x').replace('*', 'nothing/here/at/all');
      const { status, headers } = await fetch(hub().url + path, { headers: { authorization: `Bearer ${who.key}` } });
      return [prefix, status, headers.get('content-type')];
    });
    expect(await Promise.all(found)).toEqual(prefixes.map((prefix) => [prefix, 404, 'application/json']));
  });

  test('docs/paths.md has every row; vitest -u writes it', async () => {
    const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
    const named = (endpoint: string) => (endpoint === '' ? '–' : `\`${endpoint}\``);
    const page = [
      '# Paths of API clients',
      '',
      'Written by `server/src/relay/routes/paths.test.ts`, in the order in which a path is looked up: rows of tasks ' +
        '(`server/src/tasks/task-front.ts`), then those of the relay (`server/src/relay/routes/paths.ts`). ' +
        'Any other path below these prefixes is a 404: ' +
        `${[...new Set(prefixes)].map((path) => `\`${path}\``).join(', ')}.`,
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
