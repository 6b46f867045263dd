import { knownModelsPath } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { onOneDatabase } from '#testing/databases.ts';
import { allEndpoints, type DeclaredEndpoint } from '@relay-hub/contract/registry';
import { anyPath } from '#testing/endpoints.ts';
import { hubForSuite } from '#testing/hub.ts';

const bare = { method: 'GET', path: knownModelsPath, audience: 'admin' } as const;
const cases: Pick<DeclaredEndpoint, 'method' | 'path' | 'audience'>[] = [...allEndpoints, bare];

onOneDatabase('paths', (make) => {
  const hub = hubForSuite(make);

  test.each(cases)('both spellings respond alike, without a redirect: $method $path', async (endpoint) => {
    const path = anyPath(endpoint).replace(/\/$/, '');
    const ask = async (url: string) => {
      const response = await fetch(hub().url + url, {
        method: endpoint.method,
        redirect: 'manual',
        headers: { 'accept-language': 'en' },
      });
      return { status: response.status, code: ((await response.json()) as { code?: string }).code };
    };
    const [plain, slashed] = await Promise.all([ask(path), ask(`${path}/`)]);
    expect(slashed).toEqual(plain);
    expect(plain.status < 300 || plain.status >= 400).toBe(true);
    expect(plain.code).not.toBe('route.unknown');
  });

  test('every endpoint of the contract is here', () => {
    expect(allEndpoints.length).toBeGreaterThan(40);
    for (const { path } of allEndpoints) expect(path).toMatch(/^\/api\//);
  });
});
