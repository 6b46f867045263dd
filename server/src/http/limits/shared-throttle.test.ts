import { userApi } from '@relay-hub/contract';
import { describe, expect, inject, test } from 'vitest';
import { browserFrom } from '#testing/browser.ts';
import { newPostgres } from '#testing/databases.ts';
import { startHub } from '#testing/hub.ts';
import { addAccount, PASSWORD } from '#testing/people.ts';

const postgres = inject('postgresUrl');

describe.skipIf(postgres === '')('two nodes without Redis', () => {
  test('two nodes count wrong passwords together, and do not count the right one', async () => {
    const database = await newPostgres();
    const env = { TRUSTED_PROXIES: '127.0.0.1' };
    const nodes = [await startHub(database, env), await startHub(database, env)] as const;
    try {
      const { username } = await addAccount(nodes[0]);
      const login = (node: (typeof nodes)[number], password: string) =>
        browserFrom(node, '203.0.113.9').try(userApi.login, { body: { username, password } });
      expect((await login(nodes[0], PASSWORD)).body.success).toBe(true);
      for (let i = 0; i < 10; i++) expect((await login(nodes[i % 2 === 0 ? 0 : 1], 'wrong')).status).toBe(200);
      for (const node of nodes) {
        const { status, headers } = await login(node, PASSWORD);
        expect(status).toBe(429);
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(1100);
      }
    } finally {
      for (const node of nodes) await node.close();
      await database.remove();
    }
  });
});
