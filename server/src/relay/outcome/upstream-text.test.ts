import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { caughtUp } from '#testing/caught-up.ts';
import { tokenOf } from '#testing/chat.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, addToken, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { addPerson, type TestPerson } from '#testing/people.ts';
import { rawUpstreamForSuite, sendJson, sendStream } from '#testing/network/raw-upstream.ts';
import { RealtimeClient } from '#testing/realtime-client.ts';
import { errorOf, hello, post } from '#testing/relay-calls.ts';

const KEY = 'sk-Upstream-Key-of-the-operator';
const DOCS = 'https://platform.openai.com/docs/errors';
/** No caller may read any of these. */
const hidden = ['10.0.0.5', 'vllm-7b', 'org-ab1', 'proj_ab1', 'gpu.internal', 'acme-relay', ':8080', ':9000'];
const base64 = Buffer.from(`Bearer ${KEY}`).toString('base64');
const SAID = [
  'failed at http://10.0.0.5:8080/v1 and https://acme-relay.example.com/x?y=1',
  'host gpu.internal, dial tcp 10.0.0.5:443, vllm-7b:9000 is away for org-ab1 in proj_ab1',
  `with ${KEY.toUpperCase()} and ${base64}; see ${DOCS}`,
].join('; ');
const GEMINI = '/gemini/v1beta/models/gpt-4o:generateContent';
const GEMINI_STREAM = '/gemini/v1beta/models/gpt-4o:streamGenerateContent';

onOneDatabase('what an upstream says of the operator’s places', (make) => {
  const hub = hubForSuite(make);
  const upstream = rawUpstreamForSuite();
  const simulated = upstreamForSuite();
  const db = () => hub().server.deps.db;
  let who: TestCaller;
  let id = 0;
  let host = '';

  beforeAll(async () => {
    id = await addChannel(hub(), upstream().url, { models: 'gpt-4o', key: KEY });
    host = new URL(upstream().url).host;
  });
  beforeEach(async () => {
    who = await addCaller(db());
  });
  afterEach(() => hub().server.deps.live.health.forget(id));

  const said = () => `${SAID} (${upstream().url}/v1/chat/completions)`;
  const expectClean = (text: string): void => {
    for (const place of [...hidden, host, `:${host.split(':')[1]}`, KEY.toUpperCase(), base64.slice(12, -6)])
      expect(text).not.toContain(place);
    expect(text).toContain(DOCS);
  };

  const contents = { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] };
  const claude = { ...hello, max_tokens: 100 };
  const calls: [string, object][] = [
    ['/v1/chat/completions', hello],
    ['/v1/messages', claude],
    ['/v1/responses', { model: 'gpt-4o', input: 'hello' }],
    [GEMINI, contents],
    ['/v1/embeddings', { model: 'gpt-4o', input: 'hello' }],
    ['/v1/images/generations', { model: 'gpt-4o', prompt: 'hello' }],
  ];

  test.each(calls)('in an error status stay here: %s', async (path, body) => {
    upstream().reply = (response) =>
      sendJson(
        response,
        { error: { message: said(), type: 'gpu.internal', code: 'org-ab1', param: '10.0.0.5' } },
        422,
        {
          'retry-after': 'http://10.0.0.5',
        },
      );
    const answer = await post(hub(), who.key, body, path);
    expect(answer.status).toBe(422);
    expectClean(answer.text);
    expect(answer.headers.get('retry-after')).toBeNull();
    // The operator's row has the whole text except for secrets; the caller's does not.
    const [row] = await rowsOf(db(), who);
    const [attempt] = row!.metadata!.attempts!;
    for (const place of hidden) expect(attempt?.message).toContain(place);
    expect(attempt?.message).not.toContain(KEY.toUpperCase());
    expectClean(attempt!.shown!);
    expectClean(JSON.stringify({ ...row?.metadata, attempts: [{ ...attempt, message: '' }] }));
  });

  test.each(calls)('in an error with status 200 stay here: %s', async (path, body) => {
    upstream().reply = (response) => sendJson(response, { error: { message: said() } });
    const answer = await post(hub(), who.key, body, path);
    expect(answer.status).toBe(502);
    expectClean(answer.text);
  });

  const chunk =
    'data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"gpt-4o","choices":[{"index":0,"delta":{"content":"hi"}}]}\n\n';
  test.each([
    ['/v1/chat/completions', { ...hello, stream: true }],
    ['/v1/messages', { ...claude, stream: true }],
    ['/v1/responses', { model: 'gpt-4o', input: 'hello', stream: true }],
    [GEMINI_STREAM, contents],
  ] as [string, object][])('in an error inside of a stream stay here: %s', async (path, body) => {
    for (const event of [
      { error: { message: said(), type: 'server_error' } },
      { object: 'error', message: said(), code: 500 },
    ]) {
      // Only OpenAI's dialect has the second shape.
      if ('object' in event && path !== '/v1/chat/completions') continue;
      upstream().reply = (response) => sendStream(response, [chunk, `data: ${JSON.stringify(event)}\n\n`]);
      const answer = await post(hub(), who.key, body, path);
      expect(answer.status).toBe(200);
      expectClean(answer.text);
    }
  });

  test('on a passed-through path stay here, in body and headers, as JSON and as text', async () => {
    const { key } = await addToken(hub());
    const headers = { 'x-request-id': 'req-10.0.0.5', 'cache-control': 'no-store' };
    for (const body of [JSON.stringify({ error: { message: said(), nested: [{ url: upstream().url }] } }), said()]) {
      upstream().reply = (response) => sendJson(response, body, 404, headers);
      const answer = await post(hub(), `${key}#${id}`, undefined, '/v1/files/file-1', { method: 'GET' });
      expect(answer.status).toBe(404);
      expectClean(answer.text);
      expect(answer.headers.get('x-request-id')).toBe('req-[address removed]');
      expect(answer.headers.get('cache-control')).toBe('no-store');
      if (body.startsWith('{')) expect(JSON.parse(answer.text)).toHaveProperty('error.nested.0.url');
    }
  });

  test('in a realtime session stay here, in events and in the reason of its end', async () => {
    const model = 'gpt-realtime-private';
    await addChannel(hub(), simulated().url, { models: model, key: KEY });
    await hub().root.send('POST', '/api/prices/single', {
      model,
      type: 'tokens',
      channel_type: 1,
      input: 1,
      output: 1,
    });
    const client = new RealtimeClient(hub(), `/v1/realtime?model=${model}`, who.key);
    await client.opened;
    await client.until('session.created');
    const { socket } = simulated().realtime.sessions.at(-1)!;
    const { url } = simulated();
    socket.send(JSON.stringify({ type: 'error', error: { message: `${SAID} ${url}`, code: 'x' } }));
    const details = { type: 'failed', error: { code: 'x', message: `${SAID} ${url}` } };
    socket.send(
      JSON.stringify({ type: 'response.done', response: { id: 'r', status_details: details, output: ['10.0.0.5'] } }),
    );
    await client.until('response.done');
    const [error, done] = client.events.slice(-2);
    expectClean(JSON.stringify(error));
    expect(JSON.stringify(error)).not.toContain(new URL(url).host);
    // Model output is never taken for an error.
    expect(JSON.stringify(done)).toContain('"output":["10.0.0.5"]');
    expectClean(JSON.stringify(done).replace('"10.0.0.5"', ''));
    socket.close(4000, 'gpu.internal went away');
    expect(await client.closed).toEqual({ code: 4000, reason: '[address removed] went away' });
  });

  test('stay out of the own log of a user, also of rows that were written before', async () => {
    const ann: TestPerson = await addPerson(hub(), { quota: 1_000_000 });
    const { key } = await tokenOf(ann.client, { name: 'laptop' });
    upstream().reply = (response) => sendJson(response, { error: { message: said() } }, 400);
    const answer = await post(hub(), key, hello);
    expect(answer.status).toBe(400);
    await caughtUp(db());
    const own = async () => JSON.stringify((await ann.client.send('GET', '/api/log/self')).body);
    expectClean(await own());
    const all = JSON.stringify((await hub().root.send('GET', '/api/log/?username=' + ann.username)).body);
    for (const place of [...hidden, host]) expect(all).toContain(place);
    const { id: rowId, metadata } = await db()
      .selectFrom('logs')
      .where('user_id', '=', ann.id)
      .where('type', '=', 2)
      .select(['id', 'metadata'])
      .executeTakeFirstOrThrow();
    const attempts = metadata!.attempts!.map(({ shown: _shown, ...attempt }) => attempt);
    await db()
      .updateTable('logs')
      .set({ metadata: JSON.stringify({ ...metadata, attempts }) as never })
      .where('id', '=', rowId)
      .execute();
    expectClean(await own());
    expectClean(JSON.stringify((await ann.client.send('GET', `/api/log/self/${rowId}`)).body));
  });

  test('do not appear in the relay’s own errors', async () => {
    upstream().reply = (response) => void response.socket?.destroy();
    const answer = await post(hub(), who.key, hello);
    expect(errorOf(answer).message).toContain('The upstream could not be used');
  });
});
