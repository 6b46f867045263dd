import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { wireIds } from '../testing/bridge.ts';
import { type RelayForClients, relayForClients } from '../testing/relay-for-clients.ts';

let relay: RelayForClients;
let client: OpenAI;

beforeAll(async () => {
  relay = await relayForClients();
  client = new OpenAI({ apiKey: 'sk-test', baseURL: `${relay.url}/v1`, maxRetries: 0 });
});
afterAll(() => relay.close());

const model = 'a-model';
const tools = ['weather', 'time'].map((name) => ({
  type: 'function' as const,
  function: { name, parameters: { type: 'object', properties: { city: { type: 'string' } } } },
}));
const usage = {
  prompt_tokens: 100,
  completion_tokens: 45,
  total_tokens: 145,
  prompt_tokens_details: expect.objectContaining({ cached_tokens: 30 }) as unknown,
};

describe.each(wireIds)('the openai client against a provider of %s', (wire) => {
  beforeAll(() => {
    relay.wire = wire;
  });

  test('chat', async () => {
    const reply = await client.chat.completions.create({
      model,
      messages: [
        { role: 'developer', content: 'Be brief.' },
        { role: 'user', content: 'Hello 你好' },
      ],
    });
    expect(reply.choices).toMatchObject([
      { finish_reason: 'stop', message: { role: 'assistant', content: 'Be brief.|Hello 你好|', refusal: null } },
    ]);
    expect(reply.usage).toMatchObject(usage);
    expect(reply.model).toBe(model);
  });

  test('stream', async () => {
    const stream = client.chat.completions.stream({
      model,
      messages: [{ role: 'user', content: 'Hello 你好' }],
      stream_options: { include_usage: true },
    });
    expect(await stream.finalContent()).toBe('|Hello 你好|');
    expect(await stream.totalUsage()).toMatchObject({ prompt_tokens: 100, completion_tokens: 45 });
  });

  test('two tools at once, and their results', async () => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Weather and time?' }];
    const stream = client.chat.completions.stream({ model, messages, tools });
    const { message, finish_reason } = (await stream.finalChatCompletion()).choices[0]!;
    expect(finish_reason).toBe('tool_calls');
    const calls = message.tool_calls!;
    expect(calls.map((call) => call.type === 'function' && [call.function.name, call.function.arguments])).toEqual([
      ['weather', '{"city":"city 0"}'],
      ['time', '{"city":"city 1"}'],
    ]);
    messages.push(message);
    calls.forEach(({ id }, i) => messages.push({ role: 'tool', tool_call_id: id, content: `result ${i}` }));
    const reply = await client.chat.completions.create({ model, messages, tools });
    expect(reply.choices[0]!.message.content).toBe('call_0=result 0 call_1=result 1');
  });

  test('a picture', async () => {
    const reply = await client.chat.completions.create({
      model,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
          ],
        },
      ],
    });
    expect(reply.choices[0]!.message.content).toBe('|What is it?|[image/png iVBORw0KGgo=]');
  });

  test('an answer held to a schema', async () => {
    const schema = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] };
    const reply = await client.chat.completions.create({
      model,
      messages: [{ role: 'user', content: 'Answer' }],
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
    });
    expect(JSON.parse(reply.choices[0]!.message.content!)).toEqual({ answer: 42 });
    expect(relay.seen?.format).toMatchObject({ type: 'json_schema', schema });
  });
});

describe.each(wireIds)('the ai package against a provider of %s', (wire) => {
  beforeAll(() => {
    relay.wire = wire;
  });

  const provider = () => createOpenAICompatible({ name: 'relay', baseURL: `${relay.url}/v1`, apiKey: 'sk-test' });
  const aTool = tool({
    inputSchema: jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } }),
    execute: ({ city }) => `sun in ${city}`,
  });

  test('stream with a tool that runs by itself', async () => {
    const result = streamText({
      model: provider()(model),
      prompt: 'Weather?',
      tools: { weather: aTool, time: aTool },
      stopWhen: ({ steps }) => steps.length === 2,
    });
    expect(await result.text).toBe('call_0=sun in city 0 call_1=sun in city 1');
  });

  test('text', async () => {
    const { text, finishReason } = await generateText({ model: provider()(model), prompt: 'Hello' });
    expect([text, finishReason]).toEqual(['|Hello|', 'stop']);
  });
});
