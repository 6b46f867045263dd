import type { Endpoint } from '@relay-hub/contract';
import { knownModelsPath, role } from '@relay-hub/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { allEndpoints, anyPath } from '#testing/endpoints.ts';
import { ApiClient, hubForSuite } from '#testing/hub.ts';
import { addAccount, PASSWORD } from '#testing/people.ts';

const audiences = { public: 0, visitor: 0, user: role.user, admin: role.admin, root: role.root } as const;
const people = { nobody: 0, user: role.user, admin: role.admin, root: role.root } as const;
type Who = keyof typeof people;

const bare = { method: 'GET', path: knownModelsPath, audience: 'admin' } as const;
const cases: Pick<Endpoint, 'method' | 'path' | 'audience'>[] = [...allEndpoints, bare];

function verdictOf(who: Who, audience: Endpoint['audience']): string | undefined {
  if (people[who] >= audiences[audience]) return undefined;
  return who === 'nobody' ? 'session.none' : 'session.role';
}

onEveryDatabase('who may call what', (make) => {
  const hub = hubForSuite(make);
  const clients = new Map<Who, ApiClient>();
  const accounts = new Map<Who, string>();

  async function signIn(who: Who): Promise<void> {
    const client = new ApiClient(hub().url);
    clients.set(who, who === 'nobody' ? client : await client.signIn(accounts.get(who)!, PASSWORD));
  }

  beforeAll(async () => {
    for (const who of ['user', 'admin', 'root'] as const)
      accounts.set(who, (await addAccount(hub(), { role: people[who] })).username);
    for (const who of Object.keys(people) as Who[]) await signIn(who);
  });

  describe.each(cases)('$method $path, for $audience', (endpoint) => {
    test.each(Object.keys(people) as Who[])('%s', async (who) => {
      const client = clients.get(who)!; // signed in above
      const answer = await client.send(
        endpoint.method,
        anyPath(endpoint as Endpoint),
        endpoint.method === 'GET' || endpoint.method === 'DELETE' ? undefined : {},
      );
      // Signing out ends the session that the other cases go on with.
      if (answer.headers.has('set-cookie')) await signIn(who);
      const code = verdictOf(who, endpoint.audience);
      if (code === undefined) {
        expect([200, 400, 404, 409]).toContain(answer.status);
      } else {
        expect(answer).toMatchObject({ status: code === 'session.none' ? 401 : 403, body: { success: false, code } });
        expect(answer.body).not.toHaveProperty('data');
      }
    });

    test('both spellings of the path answer alike, without a redirect', async () => {
      const path = anyPath(endpoint as Endpoint).replace(/\/$/, '');
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
  });

  test('every endpoint of the contract is here', () => {
    expect(allEndpoints.length).toBeGreaterThan(40);
    for (const { path } of allEndpoints) expect(path).toMatch(/^\/api\//);
  });
});
