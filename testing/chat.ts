import type { InputOf, Log } from '@relay-hub/contract';
import { logApi, tokenApi } from '@relay-hub/contract';
import { caughtUp } from './caught-up.ts';
import type { ApiClient, TestHub } from './hub.ts';

/** Sends a chat as an API client; its status and body. */
export async function chat(
  { url }: Pick<TestHub, 'url'>,
  key: string,
  model = 'gpt-4o',
  content = 'hello',
): Promise<{ status: number; text: string }> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content }], max_tokens: 50 }),
  });
  return { status: response.status, text: await response.text() };
}

/** A new token; its id and full key. */
export async function tokenOf(
  client: ApiClient,
  more: Partial<InputOf<typeof tokenApi.create>['body']> = {},
): Promise<{ id: number; key: string }> {
  const { token, key } = await client.call(tokenApi.create, { body: { name: 'test', unlimited_quota: true, ...more } });
  return { id: token.id, key };
}

/** The newest log row. */
export async function lastLog({ root, server }: TestHub): Promise<Log> {
  await caughtUp(server.deps.db);
  const { data } = await root.call(logApi.list, { query: { size: 1 } });
  return data[0]!; // every test that asks has made a call
}
