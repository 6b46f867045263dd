import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { beforeAll, describe, expect, test } from 'vitest';
import { addCaller } from '#testing/callers.ts';
import { newSqlite } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { hello } from '#testing/relay-calls.ts';

const openAi = (message: string, code: string | null = null) => ({
  error: { message, type: 'invalid_request_error', param: null, code },
});
const anthropic = (message: string) => ({ type: 'error', error: { type: 'invalid_request_error', message } });
const gemini = (message: string) => ({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } });

/** Vendors' errors for a prompt that is too long, by the model of the channel. */
const tooLong: [string, number, unknown][] = [
  [
    'gpt-4o',
    400,
    openAi("This model's maximum context length is 128000 tokens. However, your messages resulted in 200008 tokens."),
  ],
  ['gpt-4o', 400, openAi('Your input exceeds the context window of this model.', 'context_length_exceeded')],
  ['gpt-4o', 413, openAi('Request body too large for the model.', 'tokens_limit_reached')],
  ['claude-opus-4-1', 400, anthropic('prompt is too long: 208310 tokens > 200000 maximum')],
  ['claude-opus-4-1', 400, anthropic('input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000')],
  [
    'gemini-2.5-flash',
    400,
    gemini('The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'),
  ],
];

describe('errors that clients act upon', () => {
  const hub = hubForSuite(newSqlite);
  const upstream = rawUpstreamForSuite();
  let key = '';
  beforeAll(async () => {
    await addChannel(hub(), upstream().url, { type: 1, models: 'gpt-4o' });
    await addChannel(hub(), upstream().url, { type: 14, models: 'claude-opus-4-1' });
    await addChannel(hub(), upstream().url, { type: 25, models: 'gemini-2.5-flash' });
    ({ key } = await addCaller(hub().server.deps.db));
  });

  const db = () => hub().server.deps.db;
  const openAiOf = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${hub().url}/v1`, maxRetries: 0 });
  const anthropicOf = (apiKey: string) => new Anthropic({ apiKey, baseURL: hub().url, maxRetries: 0 });
  const googleOf = (apiKey: string) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl: hub().url } });
  const thrown = (call: PromiseLike<unknown>) =>
    call.then(
      () => undefined,
      (error: unknown) => error as Error,
    );

  test('findings of a content filter are kept, and nothing else beside them', async () => {
    const findings = { hate: { filtered: true, severity: 'high' }, jailbreak: { detected: true, filtered: true } };
    const innererror = {
      code: 'ResponsibleAIPolicyViolation',
      content_filter_result: { ...findings, custom: { id: 'deployment-of-the-operator' } },
      endpoint: 'https://private.example',
    };
    const error = { message: 'filtered', type: null, param: 'prompt', code: 'content_filter', status: 400, innererror };
    upstream().reply = (response) => sendJson(response, { error }, 400);
    const refused = (await thrown(openAiOf(key).chat.completions.create(hello))) as InstanceType<
      typeof OpenAI.APIError
    >;
    expect(refused.error).toMatchObject({
      code: 'content_filter',
      innererror: { code: 'ResponsibleAIPolicyViolation', content_filter_result: { ...findings, custom: {} } },
    });
    expect(JSON.stringify(refused.error)).not.toMatch(/private|operator/);
  });

  test.each(tooLong)('a prompt that is too long for %s, status %i, is that in each dialect: %j', async (...row) => {
    const [model, status, json] = row;
    upstream().reply = (response) => sendJson(response, json, status);
    const chat = await thrown(openAiOf(key).chat.completions.create({ ...hello, model }));
    expect(chat).toBeInstanceOf(OpenAI.BadRequestError);
    expect(chat).toMatchObject({ status: 400, code: 'context_length_exceeded', type: 'invalid_request_error' });
    const responses = await thrown(openAiOf(key).responses.create({ model, input: 'hello' }));
    expect(responses).toMatchObject({ status: 400, code: 'context_length_exceeded' });
    const message = await thrown(anthropicOf(key).messages.create({ ...hello, model, max_tokens: 9 }));
    expect(message).toMatchObject({
      status: 400,
      error: {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: expect.stringMatching(/^(?:prompt is too long: |input length and `max_tokens`)/),
        },
      },
    });
    const google = await thrown(googleOf(key).models.generateContent({ model, contents: 'hello' }));
    expect(JSON.parse(google!.message)).toMatchObject({ error: { code: 400, status: 'INVALID_ARGUMENT' } });
  });

  test.each<[number, unknown]>([
    [400, openAi("Invalid 'tools': array too long.", 'array_above_max_length')],
    [400, openAi("'input' is longer than 10 characters.")],
    [500, openAi('prompt is too long')],
  ])('another refusal with status %i stays what it is: %j', async (status, json) => {
    upstream().reply = (response) => sendJson(response, json, status);
    const error = await thrown(openAiOf(key).chat.completions.create(hello));
    expect(error).not.toMatchObject({ code: 'context_length_exceeded' });
  });

  test('missing credits have the code that OpenAI’s clients know, and the text says whose they are', async () => {
    const poor = await addCaller(db(), { quota: 1 });
    const spent = await addCaller(db(), { remain: 1 });
    for (const [caller, text] of [
      [poor, /Insufficient balance/],
      [spent, /quota of this API key/],
    ] as const) {
      const error = await thrown(openAiOf(caller.key).chat.completions.create(hello));
      expect(error).toMatchObject({ status: 402, code: 'insufficient_quota', type: 'insufficient_quota' });
      expect(error!.message).toMatch(text);
      expect(await thrown(anthropicOf(caller.key).messages.create({ ...hello, max_tokens: 9 }))).toMatchObject({
        status: 402,
        error: { error: { type: 'billing_error', message: expect.stringMatching(text) } },
      });
    }
  });

  test('a wrong key is refused in OpenAI’s words, and shown by its end only', async () => {
    const wrong = `sk-${'q'.repeat(40)}WXYZ`;
    const error = await thrown(openAiOf(wrong).chat.completions.create(hello));
    expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(error).toMatchObject({ code: 'invalid_api_key', type: 'invalid_request_error' });
    expect(error!.message).toMatch(/Incorrect API key provided: ••••WXYZ\. /);
    expect(error!.message).not.toContain('qq');
    const short = await thrown(openAiOf('sk-hunter2').models.list());
    expect(short!.message).toMatch(/Incorrect API key provided: ••••\. /);
    expect(short!.message).not.toContain('ter2');
    expect(await thrown(anthropicOf(wrong).messages.create({ ...hello, max_tokens: 9 }))).toBeInstanceOf(
      Anthropic.AuthenticationError,
    );
    const google = await thrown(googleOf(wrong).models.generateContent({ model: 'gpt-4o', contents: 'hello' }));
    expect(JSON.parse(google!.message)).toMatchObject({ error: { code: 401, status: 'UNAUTHENTICATED' } });
  });

  test.each(['2023-06-01', '2026-10-21', '2099-01-01'])(
    'Anthropic’s clients may send a bearer or x-api-key, and version %s',
    async (version) => {
      upstream().reply = (response) =>
        sendJson(response, {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'claude-opus-4-1',
          content: [{ type: 'text', text: 'Hello' }],
          stop_reason: 'end_turn',
          stop_sequence: null,
          usage: { input_tokens: 3, output_tokens: 2 },
        });
      for (const how of [{ authToken: key }, { apiKey: key }, { apiKey: null, defaultHeaders: { 'x-api-key': key } }]) {
        const client = new Anthropic({
          apiKey: null,
          authToken: null,
          ...how,
          baseURL: hub().url,
          maxRetries: 0,
          defaultHeaders: { 'anthropic-version': version, ...('defaultHeaders' in how && how.defaultHeaders) },
        });
        const reply = await thrown(client.messages.create({ ...hello, model: 'claude-opus-4-1', max_tokens: 9 }));
        expect(reply).toBeUndefined();
      }
    },
  );
});
