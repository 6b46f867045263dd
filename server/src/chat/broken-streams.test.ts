import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChatEvent } from './chat.ts';
import type { DialectError } from './codec.ts';
import { dialects } from './codecs.ts';
import { dialectIds, contextOf, wireIds } from './testing/bridge.ts';
import { type RelayForClients, relayForClients } from './testing/relay-for-clients.ts';

let relay: RelayForClients;

beforeAll(async () => {
  relay = await relayForClients();
  relay.breaks = true;
});
afterAll(() => relay.close());

const said = 'a long text '.repeat(50);
const messages = [{ role: 'user' as const, content: said }];

/** Reads a stream to its end with the official client; the received text. */
const clients: Record<string, (got: { text: string }) => Promise<void>> = {
  'chat completions': async (got) => {
    const client = new OpenAI({ apiKey: 'sk', baseURL: `${relay.url}/v1`, maxRetries: 0 });
    const stream = await client.chat.completions.create({ model: 'm', messages, stream: true });
    for await (const chunk of stream) got.text += chunk.choices[0]?.delta.content ?? '';
  },
  responses: async (got) => {
    const client = new OpenAI({ apiKey: 'sk', baseURL: `${relay.url}/v1`, maxRetries: 0 });
    const stream = await client.responses.create({ model: 'm', input: said, stream: true });
    for await (const event of stream) if (event.type === 'response.output_text.delta') got.text += event.delta;
  },
  messages: async (got) => {
    const client = new Anthropic({ apiKey: 'sk', baseURL: relay.url, maxRetries: 0 });
    const stream = await client.messages.create({ model: 'm', max_tokens: 9, messages, stream: true });
    for await (const event of stream)
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') got.text += event.delta.text;
  },
  gemini: async (got) => {
    const client = new GoogleGenAI({ apiKey: 'sk', httpOptions: { baseUrl: relay.url } });
    for await (const chunk of await client.models.generateContentStream({ model: 'm', contents: said }))
      got.text += chunk.text ?? '';
  },
};

describe.each(wireIds)('when a provider of %s breaks off', (wire) => {
  test.each(Object.keys(clients))('the client of %s gets an error, and no end', async (name) => {
    relay.wire = wire;
    const got = { text: '' };
    await expect(clients[name]!(got)).rejects.toThrow(/broke off before the end/);
    expect(got.text).toMatch(/^\|a long text a long/);
    expect(`|${said}|`.startsWith(got.text)).toBe(true);
  });
});

const error: DialectError = {
  status: 429,
  type: 'rate_limit_error',
  code: 'rate_limit_exceeded',
  message: 'Too fast.',
  param: 'model',
};

test.each<[(typeof dialectIds)[number], unknown]>([
  [
    'openai',
    {
      error: {
        message: 'Too fast. (request id: 7)',
        type: 'rate_limit_error',
        param: 'model',
        code: 'rate_limit_exceeded',
      },
    },
  ],
  [
    'responses',
    {
      error: {
        message: 'Too fast. (request id: 7)',
        type: 'rate_limit_error',
        param: 'model',
        code: 'rate_limit_exceeded',
      },
    },
  ],
  [
    'anthropic',
    { type: 'error', error: { type: 'rate_limit_error', message: 'Too fast. (request id: 7)' }, request_id: '7' },
  ],
  ['gemini', { error: { code: 429, message: 'Too fast. (request id: 7)', status: 'RESOURCE_EXHAUSTED' } }],
])('an error in the shape of %s', (id, body) => {
  expect(dialects[id].errorBody(error, '7')).toEqual(body);
});

test.each([
  [400, 'invalid_request_error', 'INVALID_ARGUMENT'],
  [401, 'authentication_error', 'UNAUTHENTICATED'],
  [402, 'billing_error', 'FAILED_PRECONDITION'],
  [403, 'permission_error', 'PERMISSION_DENIED'],
  [404, 'not_found_error', 'NOT_FOUND'],
  [413, 'request_too_large', 'INVALID_ARGUMENT'],
  [422, 'invalid_request_error', 'INVALID_ARGUMENT'],
  [429, 'rate_limit_error', 'RESOURCE_EXHAUSTED'],
  [500, 'api_error', 'INTERNAL'],
  [502, 'api_error', 'UNAVAILABLE'],
  [503, 'overloaded_error', 'UNAVAILABLE'],
  [504, 'timeout_error', 'DEADLINE_EXCEEDED'],
  [529, 'overloaded_error', 'UNAVAILABLE'],
])('status %i is %s for Anthropic’s callers and %s for Google’s', (status, anthropic, google) => {
  expect(dialects.anthropic.errorBody({ ...error, status }, '7')).toMatchObject({ error: { type: anthropic } });
  expect(dialects.gemini.errorBody({ ...error, status }, '7')).toMatchObject({
    error: { code: status, status: google },
  });
});

const begun: ChatEvent[] = [{ type: 'start' }, { type: 'text', text: 'He' }];

test.each(dialectIds)('a writer of %s that is ended without a finish tells a break', (id) => {
  const request = dialects.openai.readRequest({ model: 'm', messages });
  const writer = dialects[id].streamWriter(contextOf(request));
  for (const event of begun) writer.event(event);
  const end = writer.end();
  expect(end).toContain('broke off');
  expect(end).not.toMatch(/\[DONE\]|message_stop|response\.completed|finishReason/);
});

test.each(dialectIds)('a heartbeat of %s changes nothing', (id) => {
  const writer = dialects[id].streamWriter(contextOf(dialects.openai.readRequest({ model: 'm', messages })));
  expect(writer.heartbeat()).toMatch(/^(: keep-alive\n\n|event: ping\ndata: \{"type":"ping"\}\n\n)$/);
});
