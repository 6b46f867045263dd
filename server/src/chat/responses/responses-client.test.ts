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
const tools: OpenAI.Responses.FunctionTool[] = ['weather', 'time'].map((name) => ({
  type: 'function',
  name,
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  strict: false,
}));

describe.each(wireIds)('the openai client’s Responses against a provider of %s', (wire) => {
  beforeAll(() => {
    relay.wire = wire;
  });

  test('an answer', async () => {
    const reply = await client.responses.create({ model, instructions: 'Be brief.', input: 'Hello 你好' });
    expect(reply.output_text).toBe('Be brief.|Hello 你好|');
    expect(reply).toMatchObject({ status: 'completed', model, instructions: 'Be brief.', store: false });
    expect(reply.usage).toMatchObject({
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 30 },
      output_tokens: 45,
      total_tokens: 145,
    });
  });

  test('a stream', async () => {
    const stream = client.responses.stream({ model, input: 'Hello 你好' });
    let text = '';
    const types: string[] = [];
    for await (const event of stream) {
      if (types.at(-1) !== event.type) types.push(event.type);
      if (event.type === 'response.output_text.delta') text += event.delta;
    }
    expect(text).toBe('|Hello 你好|');
    expect(types).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    const reply = await stream.finalResponse();
    expect([reply.output_text, reply.usage?.input_tokens]).toEqual(['|Hello 你好|', 100]);
  });

  test('two tools at once, and their results', async () => {
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Weather and time?' }];
    const first = await client.responses.stream({ model, input, tools }).finalResponse();
    const calls = first.output.filter((item) => item.type === 'function_call');
    expect(calls.map((call) => [call.name, call.arguments, call.status])).toEqual([
      ['weather', '{"city":"city 0"}', 'completed'],
      ['time', '{"city":"city 1"}', 'completed'],
    ]);
    input.push(...(first.output as OpenAI.Responses.ResponseInput));
    calls.forEach(({ call_id }, i) => input.push({ type: 'function_call_output', call_id, output: `result ${i}` }));
    const reply = await client.responses.create({ model, input, tools });
    expect(reply.output_text).toBe('call_0=result 0 call_1=result 1');
  });

  test('a custom tool, whose input is a text', async () => {
    const custom: OpenAI.Responses.Tool = { type: 'custom', name: 'patch' };
    const reply = await client.responses.stream({ model, input: 'Patch it', tools: [custom] }).finalResponse();
    expect(reply.output).toMatchObject([{ type: 'custom_tool_call', name: 'patch', input: '{"city":"city 0"}' }]);
    expect(relay.seen?.tools[0]).toMatchObject({ name: 'patch', schema: { required: ['input'] } });
  });

  test('a picture', async () => {
    const reply = await client.responses.create({
      model,
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'What is it?' },
            { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,iVBORw0KGgo=' },
          ],
        },
      ],
    });
    expect(reply.output_text).toBe('|What is it?|[image/png iVBORw0KGgo=]');
  });

  test('an answer held to a schema', async () => {
    const schema = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] };
    const text = { format: { type: 'json_schema' as const, name: 'answer', schema } };
    const reply = await client.responses.create({ model, input: 'Answer', text });
    expect(JSON.parse(reply.output_text)).toEqual({ answer: 42 });
    expect(relay.seen?.format).toMatchObject({ type: 'json_schema', schema });
  });
});
