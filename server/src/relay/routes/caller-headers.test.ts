import Anthropic from '@anthropic-ai/sdk';
import { priceApi } from '@relay-hub/contract';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { addCaller, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';

const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude',
  content: [{ type: 'text', text: 'Hi.' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 2 },
};
const completion = {
  id: 'c',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
};

onOneDatabase('headers of a caller’s', (make) => {
  const hub = hubForSuite(make);
  const upstream = rawUpstreamForSuite();
  let who: TestCaller;

  beforeAll(async () => {
    await hub().root.call(priceApi.create, {
      body: { model: 'h-*', type: 'tokens', channel_type: 14, input: 1, output: 1 },
    });
    await addChannel(hub(), upstream().url, { type: 14, models: 'h-anthropic', key: 'sk-ant' });
    await addChannel(hub(), upstream().url, {
      type: 32,
      models: 'h-bedrock',
      model_mapping: '{"h-bedrock":"+anthropic.claude-sonnet-4-6"}',
      key: 'eu-west-1|AKIDEXAMPLE|secret',
    });
    await addChannel(hub(), upstream().url, { type: 3, models: 'h-azure', key: 'azure-key' });
    upstream().reply = (response) =>
      sendJson(response, lastSent().url.includes('chat/completions') ? completion : message);
  });
  beforeEach(async () => void (who = await addCaller(hub().server.deps.db)));
  afterEach(() => expect(hub().server.deps.book.openCalls).toBe(0));

  const lastSent = () => upstream().requests.at(-1)!;
  const ask = (model: string, defaultHeaders: Record<string, string> = {}) =>
    new Anthropic({ apiKey: who.key, baseURL: hub().url, maxRetries: 0, defaultHeaders }).beta.messages.create({
      model,
      max_tokens: 9,
      betas: ['context-management-2025-06-27', 'files-api-2025-04-14'],
      context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
      messages: [{ role: 'user', content: 'hello' }],
    });

  test('tell Anthropic which version and betas are meant, and nobody’s key or cookie', async () => {
    await ask('h-anthropic', { 'anthropic-version': '2023-01-01', cookie: 'a=b', 'x-mine': '1' });
    const { headers, body } = lastSent();
    expect(headers).toMatchObject({
      'anthropic-beta': 'context-management-2025-06-27,files-api-2025-04-14',
      'anthropic-version': '2023-01-01',
      'x-api-key': 'sk-ant',
    });
    expect(headers).not.toHaveProperty('cookie');
    expect(headers).not.toHaveProperty('x-mine');
    expect(JSON.parse(body.toString())).toHaveProperty('context_management');
  });

  test('stand in the body at Bedrock, as far as it knows them', async () => {
    await ask('h-bedrock');
    expect(JSON.parse(lastSent().body.toString())).toMatchObject({
      anthropic_beta: ['context-management-2025-06-27'],
      context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
    });
    expect(lastSent().headers).not.toHaveProperty('anthropic-beta');
  });

  test('say nothing to who speaks another dialect', async () => {
    await ask('h-azure');
    expect(lastSent().headers).not.toHaveProperty('anthropic-beta');
    expect(lastSent().headers).not.toHaveProperty('anthropic-version');
  });
});
