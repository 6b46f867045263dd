import { beforeAll, beforeEach, expect, test } from 'vitest';
import { addCaller, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendStream } from '#testing/network/raw-upstream.ts';
import { hello, post } from '#testing/relay-calls.ts';

const chunk = {
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }],
};
const ofOpenAi = (error: object) => [`data: ${JSON.stringify(chunk)}\n\n`, `data: ${JSON.stringify({ error })}\n\n`];
const named = (event: { type: string }) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
const ofClaude = (error: object) =>
  [
    { type: 'message_start', message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: 3 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
    { type: 'error', error },
  ].map(named);

const GEMINI = '/gemini/v1beta/models/MODEL:streamGenerateContent?alt=sse';
const overloaded = { type: 'overloaded_error', message: 'Overloaded' };
const busy = { type: 'server_error', code: 'engine_busy', message: 'Busy' };

onOneDatabase('an error within a stream', (make) => {
  const hub = hubForSuite(make);
  const upstream = rawUpstreamForSuite();
  let who: TestCaller;

  beforeAll(async () => {
    await addChannel(hub(), upstream().url, { models: 'gpt-4o' });
    await addChannel(hub(), upstream().url, { models: 'gpt-4o-mini', type: 14 });
  });
  beforeEach(async () => {
    who = await addCaller(hub().server.deps.db);
  });

  /** The error that a caller of this path receives. */
  const told = async (path: string, model: string, pieces: readonly string[]) => {
    upstream().reply = (response) => sendStream(response, pieces);
    const { contents, input, ...chat } = {
      ...hello,
      contents: [{ role: 'user', parts: [{ text: 'hello' }] }],
      input: 'hello',
    };
    const body = path === GEMINI ? { contents } : path === '/v1/responses' ? { input } : { ...chat, max_tokens: 9 };
    const request = path === GEMINI ? body : { ...body, model, stream: true };
    const { status, text } = await post(hub(), who.key, request, path.replace('MODEL', model));
    expect({ status, hasText: text.includes('Hi') }).toEqual({ status: 200, hasText: true });
    const events = text.split('\n').filter((line) => line.startsWith('data: {'));
    const last = JSON.parse(events.at(-1)!.slice(6)) as { error?: object; response?: { error: object } };
    return last.error ?? last.response?.error ?? last;
  };

  test.each([
    ['/v1/messages', 'gpt-4o-mini', ofClaude(overloaded), { type: 'overloaded_error' }],
    ['/v1/chat/completions', 'gpt-4o-mini', ofClaude(overloaded), { type: 'overloaded_error', code: 'stream_broken' }],
    [GEMINI, 'gpt-4o-mini', ofClaude(overloaded), { code: 529, status: 'UNAVAILABLE' }],
    ['/v1/chat/completions', 'gpt-4o', ofOpenAi(busy), { type: 'server_error', code: 'engine_busy' }],
    ['/v1/messages', 'gpt-4o', ofOpenAi({ ...busy, type: 'overloaded' }), { type: 'overloaded_error' }],
  ])('is told on %s by the names of %s’s vendor', async (path, model, pieces, names) => {
    expect(await told(path, model, pieces)).toMatchObject({
      ...names,
      message: expect.stringMatching(/Overloaded|Busy/),
    });
  });

  test.each([
    ['says that the operator’s account is empty', { type: 'insufficient_quota', code: 'insufficient_quota' }],
    ['refuses the operator’s key', { type: 'authentication_error', code: 'invalid_api_key' }],
    ['hides an address in its names', { type: 'http://10.0.0.5/x', code: '10.0.0.5:8080' }],
  ])('is told by our names where it %s', async (_, names) => {
    const error = await told('/v1/chat/completions', 'gpt-4o', ofOpenAi({ ...names, message: 'No.' }));
    expect(error).toMatchObject({ type: 'upstream_error', code: 'stream_broken' });
  });
});
