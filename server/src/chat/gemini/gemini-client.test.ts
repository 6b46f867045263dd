import { type Content, FunctionCallingConfigMode, GoogleGenAI, type FunctionDeclaration } from '@google/genai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { wireIds } from '../testing/bridge.ts';
import { type RelayForClients, relayForClients } from '../testing/relay-for-clients.ts';

let relay: RelayForClients;
let client: GoogleGenAI;

beforeAll(async () => {
  relay = await relayForClients();
  client = new GoogleGenAI({ apiKey: 'sk-test', httpOptions: { baseUrl: relay.url } });
});
afterAll(() => relay.close());

const model = 'a-model';
const functionDeclarations: FunctionDeclaration[] = ['weather', 'time'].map((name) => ({
  name,
  parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } } },
}));
const config = { tools: [{ functionDeclarations }] };
const usage = {
  promptTokenCount: 100,
  cachedContentTokenCount: 30,
  totalTokenCount: 145,
};

describe.each(wireIds)('the genai client against a provider of %s', (wire) => {
  beforeAll(() => {
    relay.wire = wire;
  });

  test('an answer', async () => {
    const reply = await client.models.generateContent({
      model,
      contents: 'Hello 你好',
      config: { systemInstruction: 'Be brief.' },
    });
    expect(reply.text).toBe('Be brief.|Hello 你好|');
    expect(reply.candidates?.[0]?.finishReason).toBe('STOP');
    expect(reply.usageMetadata).toMatchObject(usage);
  });

  test('a stream', async () => {
    let text = '';
    let last;
    for await (const chunk of await client.models.generateContentStream({ model, contents: 'Hello 你好' })) {
      text += chunk.text ?? '';
      last = chunk;
    }
    expect(text).toBe('|Hello 你好|');
    expect(last?.candidates?.[0]?.finishReason).toBe('STOP');
    expect(last?.usageMetadata).toMatchObject(usage);
  });

  test('a conversation keeps what was streamed', async () => {
    const chat = client.chats.create({ model });
    for await (const _ of await chat.sendMessageStream({ message: 'One' }));
    const reply = await chat.sendMessage({ message: 'Two' });
    expect(reply.text).toBe('|Two|');
    expect(relay.seen?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  });

  test('two tools at once, and their results', async () => {
    const contents: Content[] = [{ role: 'user', parts: [{ text: 'Weather and time?' }] }];
    const calls = [];
    const answer: Content = { role: 'model', parts: [] };
    for await (const chunk of await client.models.generateContentStream({ model, contents, config })) {
      calls.push(...(chunk.functionCalls ?? []));
      answer.parts!.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
    }
    expect(calls.map(({ name, args }) => [name, args])).toEqual([
      ['weather', { city: 'city 0' }],
      ['time', { city: 'city 1' }],
    ]);
    // Many programs match results by function name alone.
    const parts = calls.map(({ name }, i) => ({
      functionResponse: { name: name!, response: { output: `result ${i}` } },
    }));
    contents.push(answer, { role: 'user', parts });
    const reply = await client.models.generateContent({ model, contents, config });
    expect(reply.text).toBe('call_0=result 0 call_1=result 1');
  });

  test('a forced function', async () => {
    const calling = { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ['time'] };
    await client.models.generateContent({
      model,
      contents: 'Time?',
      config: { ...config, toolConfig: { functionCallingConfig: calling } },
    });
    expect(relay.seen?.toolChoice).toEqual({ mode: 'required', names: ['time'] });
  });

  test('a picture', async () => {
    const inlineData = { mimeType: 'image/png', data: 'iVBORw0KGgo=' };
    const reply = await client.models.generateContent({
      model,
      contents: [{ role: 'user', parts: [{ text: 'What is it?' }, { inlineData }] }],
    });
    expect(reply.text).toBe('|What is it?|[image/png iVBORw0KGgo=]');
  });

  test('an answer held to a schema', async () => {
    const schema = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] };
    const reply = await client.models.generateContent({
      model,
      contents: 'Answer',
      config: { responseMimeType: 'application/json', responseJsonSchema: schema },
    });
    expect(JSON.parse(reply.text!)).toEqual({ answer: 42 });
    expect(relay.seen?.format).toMatchObject({ type: 'json_schema', schema });
  });
});

test('a stream without alt=sse is one JSON list', async () => {
  relay.wire = 'anthropic';
  const reply = await fetch(`${relay.url}/v1beta/models/${model}:streamGenerateContent`, {
    method: 'POST',
    body: JSON.stringify({ contents: [{ parts: [{ text: 'Hello' }] }] }),
  });
  expect(reply.headers.get('content-type')).toContain('application/json');
  const chunks = (await reply.json()) as { candidates: { content: Content }[] }[];
  expect(chunks.length).toBeGreaterThan(1);
  const parts = chunks.flatMap(({ candidates }) => candidates[0]!.content.parts ?? []);
  expect(parts.map((part) => part.text).join('')).toBe('|Hello|');
});
