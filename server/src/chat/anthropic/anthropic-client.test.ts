import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { wireIds } from '../testing/bridge.ts';
import { type RelayForClients, relayForClients } from '../testing/relay-for-clients.ts';

let relay: RelayForClients;
let client: Anthropic;

beforeAll(async () => {
  relay = await relayForClients();
  client = new Anthropic({ apiKey: 'sk-test', baseURL: relay.url, maxRetries: 0 });
});
afterAll(() => relay.close());

const common = { model: 'a-model', max_tokens: 2000 };
const tools: Anthropic.Tool[] = ['weather', 'time'].map((name) => ({
  name,
  input_schema: { type: 'object', properties: { city: { type: 'string' } } },
}));
const usage = { input_tokens: 70, cache_read_input_tokens: 30, cache_creation_input_tokens: 0, output_tokens: 45 };

describe.each(wireIds)('the anthropic client against a provider of %s', (wire) => {
  beforeAll(() => {
    relay.wire = wire;
  });

  test('a message', async () => {
    const reply = await client.messages.create({
      ...common,
      system: 'Be brief.',
      messages: [{ role: 'user', content: 'Hello 你好' }],
    });
    expect(reply.content).toEqual([{ type: 'text', text: 'Be brief.|Hello 你好|' }]);
    expect(reply).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: 'a-model',
      stop_reason: 'end_turn',
      usage,
    });
  });

  test('a stream', async () => {
    const stream = client.messages.stream({ ...common, messages: [{ role: 'user', content: 'Hello 你好' }] });
    const types: string[] = [];
    for await (const event of stream) if (types.at(-1) !== event.type) types.push(event.type);
    expect(types).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(await stream.finalText()).toBe('|Hello 你好|');
    expect(await stream.finalMessage()).toMatchObject({ stop_reason: 'end_turn', usage });
  });

  test('two tools at once, and their results', async () => {
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Weather and time?' }];
    const first = await client.messages.stream({ ...common, messages, tools }).finalMessage();
    expect(first.stop_reason).toBe('tool_use');
    const calls = first.content.filter((block) => block.type === 'tool_use');
    expect(calls.map(({ name, input }) => [name, input])).toEqual([
      ['weather', { city: 'city 0' }],
      ['time', { city: 'city 1' }],
    ]);
    messages.push({ role: 'assistant', content: first.content });
    messages.push({
      role: 'user',
      content: calls.map(({ id }, i) => ({ type: 'tool_result', tool_use_id: id, content: `result ${i}` })),
    });
    const reply = await client.messages.create({ ...common, messages, tools });
    expect(reply.content).toMatchObject([{ text: 'call_0=result 0 call_1=result 1' }]);
  });

  test('a picture', async () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } as const;
    const content = [
      { type: 'text' as const, text: 'What is it?' },
      { type: 'image' as const, source },
    ];
    const reply = await client.messages.create({ ...common, messages: [{ role: 'user', content }] });
    expect(reply.content).toMatchObject([{ text: '|What is it?|[image/png iVBORw0KGgo=]' }]);
  });

  test('an answer held to a schema', async () => {
    const schema = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] };
    const reply = await client.messages.create({
      ...common,
      messages: [{ role: 'user', content: 'Answer' }],
      output_config: { format: { type: 'json_schema', schema } },
    });
    expect(reply.content).toMatchObject([{ type: 'text', text: '{"answer":42}' }]);
    expect(relay.seen?.format).toMatchObject({ type: 'json_schema', schema });
  });

  test('thinking', async () => {
    const message = await client.messages
      .stream({
        ...common,
        messages: [{ role: 'user', content: 'Think' }],
        thinking: { type: 'enabled', budget_tokens: 1024 },
      })
      .finalMessage();
    // Chat Completions models that are not known to reason get no reasoning parameters.
    if (wire === 'openai') expect(message.content).toMatchObject([{ type: 'text' }]);
    else expect(message.content).toMatchObject([{ type: 'thinking', thinking: 'Let me see.' }, { type: 'text' }]);
  });
});
