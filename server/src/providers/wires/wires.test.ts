import { describe, expect, test } from 'vitest';
import type { Json } from '#json.ts';
import { BadChatRequest } from '#chat/chat-errors.ts';
import type { ChatRequest, Message, Part } from '#chat/chat.ts';
import { anthropicWire, geminiWire, openAiWire, responsesWire } from '#chat/codecs.ts';
import { bedrockConverse } from '#usage/bedrock-converse.ts';
import { cohere } from '#usage/cohere.ts';
import { ollama } from '#usage/plain-counters.ts';
import type { ProviderWire } from '../operation.ts';
import { eventFrame, modelEvent } from '../testing/event-stream-frames.ts';
import { converseWire } from './bedrock/converse-wire.ts';
import { cohereWire } from './cohere/cohere-wire.ts';
import { ollamaWire } from './ollama/ollama-wire.ts';

const text = (said: string): Part => ({ type: 'text', text: said });
const user = (...parts: Part[]): Message => ({ role: 'user', parts });
const request = (more: Partial<ChatRequest> = {}): ChatRequest => ({
  model: 'm',
  messages: [user(text('Hello'))],
  tools: [],
  stop: [],
  stream: false,
  includeUsage: false,
  ...more,
});
const tool = { name: 'f', schema: { type: 'object', properties: {} } };
const write = (wire: ProviderWire, model: string, more: Partial<ChatRequest>): Json =>
  wire.writeRequest(request(more), { model });
const looped = (thinking: Part): Message[] => [
  user(text('Go')),
  { role: 'assistant', parts: [thinking, { type: 'tool_call', id: 'a/b', name: 'f', arguments: '{"x":1}' }] },
  { role: 'tool', parts: [{ type: 'tool_result', id: 'a/b', content: [], isError: true }] },
];

describe('a conversation that starts with an answer', () => {
  const call: Part = { type: 'tool_call', id: 'a', name: 'f', arguments: '{}' };
  const result: Message = {
    role: 'tool',
    parts: [{ type: 'tool_result', id: 'a', content: [{ type: 'text', text: '5' }] }],
  };
  const starts: Record<string, Message[]> = {
    'a text': [{ role: 'assistant', parts: [text('Hello.')] }, user(text('Go'))],
    'a text before a call': [{ role: 'assistant', parts: [text('Hello.'), call] }, result],
    'a call': [{ role: 'assistant', parts: [call] }, result],
    'a call after instructions': [
      { role: 'system', parts: [text('Be kind.')] },
      { role: 'assistant', parts: [call] },
      result,
    ],
  };
  const refused = Object.keys(starts);
  const vendors: [name: string, ProviderWire, model: string, refuses: string[]][] = [
    ['Anthropic', anthropicWire, 'claude-sonnet-4-6', refused],
    ['Bedrock', converseWire, 'amazon.nova-lite-v1:0', refused],
    ['Gemini', geminiWire, 'gemini-3-flash', refused.filter((start) => start !== 'a text')],
    ['OpenAI', openAiWire, 'gpt-4.1', []],
    ['OpenAI, Responses', responsesWire, 'gpt-5.1', []],
    ['Cohere', cohereWire, 'command-a-03-2025', []],
    ['Ollama', ollamaWire, 'llama3', []],
  ];
  const rows = vendors.flatMap(([name, wire, model, refuses]) =>
    Object.entries(starts).map(([start, messages]) => ({
      name,
      wire,
      model,
      start,
      messages,
      opens: refuses.includes(start),
    })),
  );

  test.each(rows)(
    'at $name, with $start, gets a turn of the user’s in front: $opens',
    ({ wire, model, messages, opens }) => {
      const { messages: turns, contents = turns, input = contents } = write(wire, model, { messages, tools: [tool] });
      const first = (input as Json[]).find(({ role }) => role !== 'system' && role !== 'developer');
      expect(first?.['role'] === 'user' && JSON.stringify(first).includes('"..."')).toBe(opens);
    },
  );
});

describe('Converse', () => {
  const claude = 'anthropic.claude-sonnet-4-6';

  test('what Claude signed goes back to it; what others thought does not', () => {
    const signed: Part = { type: 'thinking', text: 'hm', signature: { kind: 'anthropic', value: 'sig' } };
    const hidden: Part = { type: 'thinking', text: '', signature: { kind: 'anthropic-redacted', value: 'eA==' } };
    const blocks = (thinking: Part) =>
      (write(converseWire, claude, { messages: looped(thinking) })['messages'] as { content: Json[] }[])[1]?.content;
    expect(blocks(signed)?.[0]).toEqual({ reasoningContent: { reasoningText: { text: 'hm', signature: 'sig' } } });
    expect(blocks(hidden)?.[0]).toEqual({ reasoningContent: { redactedContent: 'eA==' } });
    expect(blocks({ type: 'thinking', text: 'hm' })).toEqual([{ toolUse: expect.objectContaining({ name: 'f' }) }]);
  });

  test('calls need their tools, and results their content', () => {
    const body = write(converseWire, claude, { messages: looped(text('ok')) });
    expect(body['toolConfig']).toEqual({
      tools: [{ toolSpec: { name: 'f', inputSchema: { json: { type: 'object', properties: {} } } } }],
    });
    const [, assistant, result] = body['messages'] as { content: Json[] }[];
    const { toolUseId } = (assistant!.content[1] as { toolUse: { toolUseId: string } }).toolUse;
    expect(toolUseId).toMatch(/^[\w-]{1,64}$/);
    expect(result?.content).toEqual([
      { toolResult: { toolUseId, content: [{ text: '(no output)' }], status: 'error' } },
    ]);
  });

  test('what each family takes', () => {
    const reasoning = { effort: 'low' } as const;
    expect(write(converseWire, claude, { reasoning, topK: 5, temperature: 2 })).toMatchObject({
      inferenceConfig: { temperature: 1 },
      additionalModelRequestFields: { thinking: { type: 'adaptive' }, output_config: { effort: 'low' }, top_k: 5 },
    });
    expect(write(converseWire, 'us.amazon.nova-2-lite-v1:0', { reasoning })).toMatchObject({
      additionalModelRequestFields: { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' } },
    });
    expect(write(converseWire, 'openai.gpt-oss-20b-1:0', { reasoning })).toMatchObject({
      additionalModelRequestFields: { reasoning_effort: 'low' },
    });
    const toolChoice = { mode: 'required' as const, names: ['f'] };
    const choiceOf = (model: string) =>
      (write(converseWire, model, { tools: [tool], toolChoice })['toolConfig'] as Json)['toolChoice'];
    expect(choiceOf(claude)).toEqual({ tool: { name: 'f' } });
    expect(choiceOf('mistral.mistral-large-2407-v1:0')).toEqual({ any: {} });
    expect(choiceOf('meta.llama3-1-8b-instruct-v1:0')).toBeUndefined();
  });

  test('cache marks, documents, S3 objects, and a schema told in words', () => {
    const body = write(converseWire, 'amazon.nova-lite-v1:0', {
      messages: [
        { role: 'system', parts: [{ ...text('Rules'), cache: { ttl: '1h' } } as Part] },
        user({ type: 'file', name: 'a_b  (1).PDF', source: { mime: 'application/pdf', base64: 'JVBE' } }),
        user({ type: 'image', source: { url: 's3://bucket/cat.png' } }),
      ],
      tools: [{ ...tool, cache: {} }],
      format: { type: 'json' },
    });
    expect(body['system']).toEqual([
      { text: 'Rules' },
      { cachePoint: { type: 'default', ttl: '1h' } },
      { text: 'Answer with JSON and nothing else.' },
    ]);
    expect(body['messages']).toEqual([
      {
        role: 'user',
        content: [
          { document: { format: 'pdf', name: 'a b (1)', source: { bytes: 'JVBE' } } },
          { image: { format: 'png', source: { s3Location: { uri: 's3://bucket/cat.png' } } } },
          { text: 'The document is attached.' },
        ],
      },
    ]);
    expect((body['toolConfig'] as { tools: Json[] }).tools[1]).toEqual({ cachePoint: { type: 'default' } });
    const remote = () =>
      write(converseWire, 'm', { messages: [user({ type: 'image', source: { url: 'https://x/y.png' } })] });
    expect(remote).toThrow(BadChatRequest);
  });

  test('an exception in the stream is its error, with its status', () => {
    const reader = converseWire.streamReader({ usage: bedrockConverse });
    const head = { ':message-type': 'exception', ':exception-type': 'modelStreamErrorException' };
    const events = [
      ...reader.push(Buffer.concat([modelEvent('messageStart', {}), eventFrame(head, { message: 'it broke' })])),
      ...reader.end(),
    ];
    expect(events).toEqual([
      { type: 'start' },
      {
        type: 'error',
        error: { code: 'error_in_stream', message: 'it broke', vendorType: 'ModelStreamErrorException', status: 424 },
      },
    ]);
  });

  test('it is done when the usage came, which is behind the end', () => {
    const reader = converseWire.streamReader({ usage: bedrockConverse });
    reader.push(modelEvent('messageStop', { stopReason: 'max_tokens' }));
    expect(reader.done).toBe(false);
    reader.push(modelEvent('metadata', { usage: { inputTokens: 3, outputTokens: 1, totalTokens: 4 } }));
    expect(reader.done).toBe(true);
    expect(reader.usage()).toMatchObject({ input: 3, output: 1 });
    expect(reader.end()).toMatchObject([{ type: 'usage' }, { type: 'finish', reason: 'length' }]);
  });
});

describe('Cohere', () => {
  test('bounds, thinking and the plan that led to calls', () => {
    const body = write(cohereWire, 'command-a-reasoning-08-2025', {
      messages: looped({ type: 'thinking', text: 'I will look.' }),
      temperature: 2,
      topP: 1,
      frequencyPenalty: -1,
      stop: ['1', '2', '3', '4', '5', '6'],
      reasoning: { budget: 500 },
      tools: [{ ...tool, strict: true }],
      toolChoice: { mode: 'required' },
      format: { type: 'json' },
    });
    expect(body).toMatchObject({
      temperature: 1,
      p: 0.99,
      frequency_penalty: 0,
      stop_sequences: ['1', '2', '3', '4', '5'],
      thinking: { type: 'enabled', token_budget: 500 },
      tool_choice: 'REQUIRED',
      strict_tools: true,
    });
    expect(body).not.toHaveProperty('response_format');
    expect((body['messages'] as Json[])[1]).toMatchObject({ role: 'assistant', tool_plan: 'I will look.' });
    expect((body['messages'] as Json[])[2]).toEqual({ role: 'tool', tool_call_id: 'a/b', content: '(no output)' });
    const sound = (): Json =>
      write(cohereWire, 'm', { messages: [user({ type: 'audio', mime: 'audio/wav', base64: '' })] });
    expect(sound).toThrow(BadChatRequest);
  });

  test('an error at the end of a stream is no end', () => {
    const reader = cohereWire.streamReader({ usage: cohere });
    const end = { type: 'message-end', delta: { finish_reason: 'ERROR', error: 'it broke' } };
    const events = [...reader.push(Buffer.from(`data: ${JSON.stringify(end)}\n\n`)), ...reader.end()];
    expect(events).toEqual([{ type: 'error', error: { code: 'error_in_stream', message: 'it broke' } }]);
  });
});

describe('Ollama', () => {
  test('levels, pictures of results, and no tool where none may be called', () => {
    const picture: Part = { type: 'image', source: { mime: 'image/png', base64: 'aQ==' } };
    const messages: Message[] = [
      ...looped(text('ok')).slice(0, 2),
      { role: 'tool', parts: [{ type: 'tool_result', id: 'a/b', content: [{ type: 'text', text: 'see' }, picture] }] },
    ];
    const body = write(ollamaWire, 'gpt-oss:20b', { messages, reasoning: { effort: 'xhigh' }, tools: [tool] });
    expect(body).toMatchObject({ think: 'high', stream: false, tools: [{ function: { name: 'f', description: '' } }] });
    expect((body['messages'] as Json[]).slice(2)).toEqual([
      { role: 'tool', content: 'see', tool_name: 'f', tool_call_id: 'a/b' },
      { role: 'user', content: 'Result of f:', images: ['aQ=='] },
    ]);
    expect(write(ollamaWire, 'qwen3', { reasoning: { effort: 'none' } })).toMatchObject({ think: false });
    expect(write(ollamaWire, 'qwen3', { tools: [tool], toolChoice: { mode: 'none' } })).not.toHaveProperty('tools');
    expect(write(ollamaWire, 'qwen3', { format: { type: 'json' } })).toMatchObject({ format: 'json' });
  });

  test('lines that are cut anywhere, and an error among them', () => {
    const reader = ollamaWire.streamReader({ usage: ollama });
    const lines = Buffer.from('{"model":"m","message":{"content":"é"},"done":false}\r\n\n{"error":"out of memory"}\n');
    const events = [...[...lines].flatMap((byte) => reader.push(Buffer.from([byte]))), ...reader.end()];
    expect(events).toMatchObject([
      { type: 'start', model: 'm' },
      { type: 'text', text: 'é' },
      { type: 'error', error: { code: 'error_in_stream', message: 'out of memory' } },
    ]);
  });
});
