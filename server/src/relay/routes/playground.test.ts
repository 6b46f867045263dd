import { logApi, tokenApi, tokenStatus, userStatus } from '@relay-hub/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { rowsOf, userOf } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { addPerson, type TestPerson } from '#testing/people.ts';
import { errorOf, hello, post } from '#testing/relay-calls.ts';

const PATH = '/api/playground/v1/chat/completions';
const NAME = 'sys_playground';
const ours = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' };

onOneDatabase('playground calls', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const db = () => hub().server.deps.db;
  let person: TestPerson;

  beforeAll(async () => {
    await addChannel(hub(), upstream().url, { models: 'gpt-4o,whisper-1,tts-1,dall-e-3', on_client_gone: 'abort' });
    person = await addPerson(hub(), { quota: 10_000_000 });
  });

  /** A call by session, as the console sends it; `cookie: ''` sends none. */
  const play = (
    body: unknown,
    {
      path = PATH,
      cookie = person.client.cookie,
      ...more
    }: { path?: string; cookie?: string; signal?: AbortSignal } & Record<string, unknown> = {},
    headers: Record<string, string> = ours,
  ) => post(hub(), undefined, body, path, { ...more, headers: { ...headers, ...(cookie !== '' && { cookie }) } });
  const tokens = (userId: number) =>
    db().selectFrom('tokens').where('user_id', '=', userId).select(['id', 'name', 'key_hint']).execute();

  test('are charged and logged as the same call by key is', async () => {
    const { key } = await person.client.call(tokenApi.create, { body: { name: 'mine', unlimited_quota: true } });
    const byKey = await post(hub(), key, hello);
    const bySession = await play(hello);
    expect([byKey.status, bySession.status]).toEqual([200, 200]);
    const { id: _, ...reply } = JSON.parse(bySession.text);
    expect(JSON.parse(byKey.text)).toMatchObject({ object: reply.object, choices: reply.choices, usage: reply.usage });
    const [a, b] = (await rowsOf(db(), { userId: person.id })).slice(-2);
    expect(b!.request_id).toBe(bySession.requestId);
    expect([a!.token_name, b!.token_name]).toEqual(['mine', NAME]);
    expect(b!.quota).toBeGreaterThan(0);
    for (const column of [
      'model_name',
      'quota',
      'prompt_tokens',
      'completion_tokens',
      'source_ip',
      'channel_id',
    ] as const)
      expect(b![column]).toBe(a![column]);
    expect((await userOf(db(), { userId: person.id })).balance).toBe(10_000_000 - a!.quota - b!.quota);
  });

  test.each([
    ['/v1/chat/completions', { ...hello, stream: true }, 'data: [DONE]'],
    ['/v1/responses', { model: 'gpt-4o', input: 'hello', stream: true }, 'response.completed'],
    [
      '/v1/messages',
      { model: 'gpt-4o', max_tokens: 50, messages: [{ role: 'user', content: 'hello' }], stream: true },
      'message_stop',
    ],
    [
      '/gemini/v1beta/models/gpt-4o:streamGenerateContent?alt=sse',
      { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] },
      '"finishReason":"STOP"',
    ],
  ])('stream in the dialect of %s', async (path, body, end) => {
    const { status, headers, text } = await play(body, { path: `/api/playground${path}` });
    expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining('text/event-stream')]);
    expect(text).toContain(end);
  });

  test('take forms and return sound', async () => {
    const form = new FormData();
    form.set('model', 'whisper-1');
    form.set('file', new Blob([new Uint8Array(2000)]), 'a.wav');
    const headers = { ...ours, cookie: person.client.cookie };
    const heard = await fetch(`${hub().url}/api/playground/v1/audio/transcriptions`, {
      method: 'POST',
      body: form,
      headers,
    });
    expect([heard.status, await heard.json()]).toEqual([200, expect.objectContaining({ text: expect.any(String) })]);
    const spoken = await play(
      { model: 'tts-1', input: 'hello', voice: 'alloy' },
      { path: '/api/playground/v1/audio/speech' },
    );
    expect([spoken.status, spoken.headers.get('content-type')]).toEqual([200, expect.stringContaining('audio/')]);
  });

  describe('are refused', () => {
    test.each<[string, Record<string, string>]>([
      ['of another site', { 'sec-fetch-site': 'cross-site' }],
      ['of a sister domain', { 'sec-fetch-site': 'same-site' }],
      ['of another site in an older browser', { origin: 'https://evil.example' }],
      ['by a form of a page', { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'document' }],
    ])('%s', async (_, headers) => {
      const { total } = upstream().requests;
      const reply = await play(hello, {}, headers);
      expect([reply.status, errorOf(reply).code]).toEqual([403, 'cross_site']);
      expect(upstream().requests.total).toBe(total);
    });

    test('without a session, even with a valid key', async () => {
      const { key } = await person.client.call(tokenApi.create, { body: { name: 'other', unlimited_quota: true } });
      for (const cookie of ['', `session=${'x'.repeat(43)}`]) {
        const reply = await play(hello, { cookie }, { ...ours, authorization: `Bearer ${key}` });
        expect([reply.status, errorOf(reply).code]).toEqual([401, 'session_none']);
      }
    });

    test('for a disabled user', async () => {
      const other = await addPerson(hub(), { quota: 1_000_000 });
      const { cookie } = other.client;
      expect((await play(hello, { cookie })).status).toBe(200);
      await db().updateTable('users').set({ status: userStatus.disabled }).where('id', '=', other.id).execute();
      expect((await play(hello, { cookie })).status).toBe(401);
    });

    test('without credits, and the refusal is logged under the token', async () => {
      const poor = await addPerson(hub());
      const reply = await play(hello, { cookie: poor.client.cookie });
      expect([reply.status, errorOf(reply).code]).toEqual([402, 'insufficient_quota']);
      const filter = { query: { refused: 1, token_name: NAME } };
      await expect
        .poll(async () => (await poor.client.call(logApi.ownList, filter)).total_count, { timeout: 5000 })
        .toBe(1);
    });

    test('beyond the relay', async () => {
      for (const path of ['/api/playground/api/user/self', '/api/playground//v1/chat/completions'])
        expect((await play(hello, { path })).status).toBe(404);
    });
  });

  test('the API of clients never reads the cookie', async () => {
    for (const path of ['/v1/chat/completions', '/v1/messages', '/gemini/v1beta/models/gpt-4o:generateContent'])
      expect((await play(hello, { path })).status).toBe(401);
  });

  test('use one token per user, which is neither listed nor changed by its id', async () => {
    const user = await addPerson(hub(), { quota: 1_000_000 });
    const { cookie } = user.client;
    const replies = await Promise.all(Array.from({ length: 5 }, () => play(hello, { cookie })));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const [token, ...more] = await tokens(user.id);
    expect([token!.name, token!.key_hint, more]).toEqual([NAME, '', []]);
    // A token of the user's own with that name is another one.
    const own = await user.client.call(tokenApi.create, { body: { name: NAME } });
    const { data } = await user.client.call(tokenApi.list, { query: { size: 100 } });
    expect(data.map(({ id }) => id)).toEqual([own.token.id]);
    const params = { id: token!.id };
    for (const answer of [
      await user.client.try(tokenApi.get, { params }),
      await user.client.try(tokenApi.reveal, { params }),
      await user.client.try(tokenApi.update, { query: { status_only: '1' }, body: { id: token!.id, status: 2 } }),
      await user.client.try(tokenApi.remove, { params }),
    ])
      expect(answer).toMatchObject({ body: { success: false, code: 'record.not_found' } });
    // As after a new password, which no one could undo for this token.
    await db().updateTable('tokens').set({ status: tokenStatus.disabled }).where('user_id', '=', user.id).execute();
    expect((await play(hello, { cookie })).status).toBe(200);
  });

  test('a stream that is stopped is settled', async () => {
    const before = (await rowsOf(db(), { userId: person.id })).length;
    upstream().next({ chunks: 200, chunkMs: 20 });
    const stop = new AbortController();
    const response = await fetch(hub().url + PATH, {
      method: 'POST',
      headers: { ...ours, cookie: person.client.cookie, 'content-type': 'application/json' },
      body: JSON.stringify({ ...hello, stream: true }),
      signal: stop.signal,
    });
    await response.body!.getReader().read();
    stop.abort();
    await expect
      .poll(async () => (await rowsOf(db(), { userId: person.id })).length, { message: 'rows of the caller' })
      .toBe(before + 1);
    const row = (await rowsOf(db(), { userId: person.id })).at(-1)!;
    expect(row).toMatchObject({ token_name: NAME, metadata: { outcome: 'client_gone' } });
    expect(row.quota).toBeGreaterThan(0);
    await expectBooksBalance(db());
  });
});
