import { request as httpRequest } from 'node:http';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { optionApi } from '@relay-hub/contract';
import OpenAI from 'openai';
import { beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { addCaller } from '#testing/callers.ts';
import { newSqlite } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { hello, post } from '#testing/relay-calls.ts';
import { servedUrl } from './typed-address.ts';

const google = { 'x-goog-api-key': 'k' };
const bearer = { authorization: 'Bearer k' };

describe('an address as it is typed', () => {
  test.each([
    ['POST', '/v1/chat/completions', '/v1/chat/completions', {}],
    ['POST', '//v1/chat/completions?a=//b', '/v1/chat/completions?a=//b', {}],
    ['POST', '/v1//chat/completions', '/v1/chat/completions', {}],
    ['POST', '/v1/v1/messages?beta=true', '/v1/messages?beta=true', {}],
    ['POST', '/v1/chat/completions/chat/completions', '/v1/chat/completions', {}],
    ['POST', '/v1/messages/v1/messages', '/v1/messages', {}],
    ['POST', '/openai/v1/responses', '/v1/responses', {}],
    ['POST', '/openai/chat/completions', '/v1/chat/completions', {}],
    ['POST', '/anthropic/v1/messages', '/claude/v1/messages', {}],
    ['GET', '/anthropic/v1/models', '/claude/v1/models', {}],
    ['POST', '/claude/messages', '/claude/v1/messages', {}],
    ['POST', '/claude/v1/v1/messages', '/claude/v1/messages', {}],
    ['POST', '/v1beta/models/m:generateContent?key=k', '/gemini/v1beta/models/m:generateContent?key=k', {}],
    ['GET', '/v1beta/models', '/gemini/v1beta/models', {}],
    ['POST', '/v1/models/m:streamGenerateContent?alt=sse', '/gemini/v1/models/m:streamGenerateContent?alt=sse', {}],
    ['POST', '/v1/v1beta/models/m:countTokens', '/gemini/v1beta/models/m:countTokens', {}],
    ['POST', '/gemini/v1beta/v1beta/models/m:embedContent', '/gemini/v1beta/models/m:embedContent', {}],
    ['POST', '/gemini/models/m:generateContent', '/gemini/v1beta/models/m:generateContent', {}],
    ['POST', '/v1beta/openai/chat/completions', '/v1/chat/completions', {}],
    ['POST', '/upload/v1beta/files', '/gemini/upload/v1beta/files', {}],
    ['GET', '/v1/models', '/gemini/v1/models', google],
    ['GET', '/v1/models/m', '/gemini/v1/models/m', google],
    ['POST', '/v1/embeddings', '/v1/embeddings', google],
    ['POST', '/chat/completions', '/v1/chat/completions', {}],
    ['OPTIONS', '/responses', '/v1/responses', {}],
    ['POST', '/messages/count_tokens', '/v1/messages/count_tokens', {}],
    ['GET', '/models', '/v1/models', bearer],
    ['GET', '/realtime?model=m', '/v1/realtime?model=m', { upgrade: 'websocket' }],
    // Anything else is unchanged.
    ['GET', '/models', '/models', {}],
    ['GET', '/models', '/models', { ...bearer, accept: 'text/html,*/*' }],
    ['GET', '/v1/models/ft:gpt-4o:org::id', '/v1/models/ft:gpt-4o:org::id', bearer],
    ['GET', '/v1/models/llama3:8b', '/v1/models/llama3:8b', bearer],
    ['GET', '/v1/files//evil.example/x', '/v1/files//evil.example/x', bearer],
    ['GET', '//evil.example', '//evil.example', {}],
    ['POST', '/api/v1/chat/completions', '/api/v1/chat/completions', bearer],
    ['GET', '/panel/token', '/panel/token', bearer],
    ['GET', '/playground', '/playground', bearer],
    ['POST', '/kling/v1/videos/text2video', '/kling/v1/videos/text2video', bearer],
    ['GET', '/openaix/v1', '/openaix/v1', bearer],
    ['GET', '/', '/', bearer],
    ['GET', '/claude', '/claude', {}],
    ['GET', '/v1', '/v1', {}],
  ])('%s %s is served as %s', (method, typed, served, headers) => {
    const request = { method, headers };
    expect(servedUrl(typed, request)).toBe(served);
    expect(servedUrl(served, request)).toBe(served);
  });
});

describe('clients with an address that is nearly right', () => {
  const hub = hubForSuite(newSqlite);
  const upstream = upstreamForSuite();
  let key = '';
  beforeAll(async () => {
    await addChannel(hub(), upstream().url, { models: 'gpt-4o,gpt-realtime,text-embedding-3-small' });
    ({ key } = await addCaller(hub().server.deps.db));
  });

  test.each(['', '/openai', '/openai/v1', '/v1/v1', '//v1', '/v1/'])('openai at %j', async (base) => {
    const client = new OpenAI({ apiKey: key, baseURL: hub().url + base, maxRetries: 0 });
    const reply = await client.chat.completions.create(hello);
    expect(reply.choices[0]?.message.content).toMatch(/Hello/);
    expect(reply._request_id).toMatch(/^\d{23}\w{8}$/);
    expect((await client.models.list()).data.map(({ id }) => id)).toContain('gpt-4o');
    await expect(client.vectorStores.list()).rejects.toMatchObject({ status: 404, code: 'unknown_url' });
    const error = await client.evals.list().then(undefined, (thrown: unknown) => thrown);
    expect(error).toMatchObject({
      status: 404,
      code: 'unknown_url',
      requestID: expect.stringMatching(/^\d{23}\w{8}$/),
    });
    expect(String(error)).toMatch(/base address for API clients is .*\/v1/);
  });

  test.each(['', '/anthropic', '/claude', '/v1', '/claude/v1'])('@anthropic-ai/sdk at %j', async (base) => {
    const client = new Anthropic({ apiKey: key, baseURL: hub().url + base, maxRetries: 0 });
    const reply = await client.messages.create({ ...hello, max_tokens: 20 });
    expect(reply.content[0]).toMatchObject({ type: 'text', text: expect.stringMatching(/Hello/) });
    expect(reply._request_id).toMatch(/^\d{23}\w{8}$/);
    expect((await client.models.list()).data[0]).toMatchObject({ type: 'model', id: 'gpt-4o' });
    expect((await client.beta.skills.list()).data).toEqual([]);
    await expect(client.get('/v1/agents')).rejects.toMatchObject({
      status: 404,
      error: { type: 'error', error: { type: 'not_found_error', message: expect.stringContaining('/claude') } },
    });
  });

  test.each([
    ['', undefined],
    ['', 'v1beta'],
    ['/v1', 'v1beta'],
    ['/gemini', undefined],
    ['/gemini/v1beta', 'v1beta'],
  ])('@google/genai at %j with version %s', async (base, apiVersion) => {
    const client = new GoogleGenAI({
      apiKey: key,
      httpOptions: { baseUrl: hub().url + base, ...(apiVersion && { apiVersion }) },
    });
    const ask = { model: 'gpt-4o', contents: 'Hello' };
    expect((await client.models.generateContent(ask)).text).toMatch(/Hello/);
    const pieces = [];
    for await (const { text } of await client.models.generateContentStream(ask)) pieces.push(text);
    expect(pieces.join('')).toMatch(/Hello/);
    expect((await client.models.countTokens(ask)).totalTokens).toBeGreaterThan(0);
    const { embeddings } = await client.models.embedContent({ model: 'text-embedding-3-small', contents: 'Hi' });
    expect(embeddings?.[0]?.values?.length).toBeGreaterThan(0);
    const listed = [];
    for await (const { name } of await client.models.list({ config: { queryBase: true } })) listed.push(name);
    expect(listed).toContain('models/gpt-4o');
    expect((await client.files.list()).page).toEqual([]);
    const error = await client.fileSearchStores.list().then(undefined, (thrown: unknown) => thrown);
    expect(JSON.parse((error as Error).message)).toMatchObject({
      error: { code: 404, status: 'NOT_FOUND', message: expect.stringContaining('/gemini') },
    });
  });

  test.each(['', '/gemini'])(
    'live sessions at Google’s address, below %j, are refused in its dialect',
    async (base) => {
      const path = `${base}/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent?key=${key}`;
      const answer = await new Promise<{ text: string }>((resolve, reject) => {
        const headers = { connection: 'upgrade', upgrade: 'websocket' };
        // Without a key of the handshake.
        const asked = httpRequest(hub().url + path, { headers }, (response) => {
          response.setEncoding('utf8');
          let text = '';
          response.on('data', (piece: string) => (text += piece));
          response.on('end', () => resolve({ text }));
        });
        asked.on('error', reject).end();
      });
      expect(JSON.parse(answer.text)).toMatchObject({ error: { code: 400, status: 'INVALID_ARGUMENT' } });
      expect(answer.text).toContain('handshake');
    },
  );

  test.each([
    ['POST', '/chat/complete', bearerOf, { code: 'unknown_url' }],
    ['GET', '/wrong/models', () => ({ 'anthropic-version': '2026-10-21' }), { type: 'not_found_error' }],
    ['GET', '/wrong/models', () => google, { status: 'NOT_FOUND' }],
  ])('an address that is none gets an error of its client’s dialect: %s %s', async (method, path, headers, error) => {
    await hub().root.call(optionApi.set, { body: { key: 'ServerAddress', value: 'https://hub.example' } });
    const answer = await post(hub(), undefined, method === 'POST' ? hello : undefined, path, {
      method,
      headers: headers(),
    });
    expect(JSON.parse(answer.text)).toMatchObject({ error });
    if (answer.status === 404) expect(answer.text).toContain('https://hub.example/');
  });
  function bearerOf() {
    return { authorization: `Bearer ${key}` };
  }

  test('pages, probes and other requests than those of API clients are no concern of the relay', async () => {
    const get = (path: string, headers: Record<string, string> = {}) => fetch(hub().url + path, { headers });
    for (const path of ['/models', '/responses', '/panel/token']) {
      const page = await get(path, { accept: 'text/html', authorization: `Bearer ${key}` });
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    }
    expect(await (await get('/healthz', { 'x-api-key': key })).json()).toEqual({ status: 'ok' });
    const file = await get('/missing.js', { 'x-api-key': key });
    expect([file.status, await file.json()]).toMatchObject([404, { code: 'route.unknown' }]);
    const unknown = await (await get('/api/nope', { 'x-api-key': key })).json();
    expect(unknown).toMatchObject({ code: 'route.unknown' });
  });

  test('Azure’s clients send the key in a header of their own', async () => {
    const answer = await post(hub(), undefined, hello, '/openai/v1/chat/completions', { headers: { 'api-key': key } });
    expect(answer.status).toBe(200);
  });

  /** The status of a refused upgrade, or 101. */
  const upgrade = (path: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const socket = new WebSocket(hub().url.replace('http', 'ws') + path, {
        headers: { authorization: `Bearer ${key}` },
      });
      socket.on('open', () => {
        socket.close();
        resolve(101);
      });
      socket.on('unexpected-response', (_, response) => {
        resolve(response.statusCode);
        socket.terminate();
      });
      socket.on('error', reject);
    });

  test.each(['/v1/v1/realtime', '/openai/v1/realtime', '//v1/realtime', '/realtime'])(
    'a realtime session is opened at %s',
    async (path) => {
      await hub().root.call(optionApi.set, { body: { key: 'DefaultPrice', value: '{"input":1,"output":2}' } });
      expect(await upgrade(`${path}?model=gpt-realtime`)).toBe(101);
    },
  );

  test.each(['/v1/responses', '/openai/v1/responses'])('a WebSocket of Responses opens at %s', async (path) =>
    expect(await upgrade(path)).toBe(101),
  );

  test('every answer names its request in the headers of all vendors', async () => {
    for (const body of [hello, { ...hello, stream: true }, { model: 'gpt-9', messages: hello.messages }]) {
      const { headers, requestId } = await post(hub(), key, body);
      expect(requestId).not.toBe('');
      expect([headers.get('x-request-id'), headers.get('request-id')]).toEqual([requestId, requestId]);
      expect(headers.get('access-control-expose-headers')).toBe('*');
    }
  });
});
