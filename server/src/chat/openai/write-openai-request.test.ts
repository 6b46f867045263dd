import { describe, expect, test } from 'vitest';
import type { Json } from '#json.ts';
import type { ChatRequest, Part } from '../chat.ts';
import { overTheNetwork } from '../testing/bridge.ts';
import { assistant, call, neutral, results, system, text, user } from '../testing/neutral-request.ts';
import { expectRefusal } from '../testing/refusals.ts';
import { type OpenAiWireOptions, writeOpenAiRequest } from './write-openai-request.ts';

const write = (more: Partial<ChatRequest> = {}, options: Partial<OpenAiWireOptions> = {}): Json =>
  overTheNetwork(writeOpenAiRequest(neutral(more), { model: 'gpt-4.1', ...options }));
const messages = (list: ChatRequest['messages'], options?: Partial<OpenAiWireOptions>) =>
  write({ messages: list }, options)['messages'] as Json[];

test('the least that a request can be', () => {
  expect(write()).toEqual({ model: 'gpt-4.1', messages: [{ role: 'user', content: 'Hello' }] });
});

test('a stream always asks for its usage', () => {
  expect(write({ stream: true })).toMatchObject({ stream: true, stream_options: { include_usage: true } });
});

describe('a conversation', () => {
  test('texts are one text, developers are systems, calls have their results behind them', () => {
    const list = [
      system('One.'),
      { role: 'developer' as const, parts: [text('Two.')] },
      user('A', 'B'),
      assistant('C', 'D', call('x', 'f', ''), call('y', 'g', '{"n":1}')),
      results('x', 'y'),
      user('E'),
    ];
    const made = (id: string, name: string, json: string) => ({
      id,
      type: 'function',
      function: { name, arguments: json },
    });
    expect(messages(list)).toEqual([
      { role: 'system', content: 'One.' },
      { role: 'system', content: 'Two.' },
      { role: 'user', content: 'A\nB' },
      { role: 'assistant', content: 'CD', tool_calls: [made('x', 'f', '{}'), made('y', 'g', '{"n":1}')] },
      { role: 'tool', tool_call_id: 'x', content: 'of x' },
      { role: 'tool', tool_call_id: 'y', content: 'of y' },
      { role: 'user', content: 'E' },
    ]);
  });

  test('an answer of calls alone has no content; one of nothing has an empty one', () => {
    expect(messages([assistant(call('x')), assistant()])).toMatchObject([{ content: null }, { content: '' }]);
  });

  test('pictures, sound, files', () => {
    const parts: Part[] = [
      text('Look'),
      { type: 'image', source: { mime: 'image/png', base64: 'iVBO' }, detail: 'low' },
      { type: 'image', source: { url: 'https://x/y.png' } },
      { type: 'audio', mime: 'audio/mpeg', base64: 'SUQz' },
      { type: 'file', source: { mime: 'application/pdf', base64: 'JVBE' }, name: 'a.pdf' },
      { type: 'file', source: { text: 'plain' } },
    ];
    expect(messages([{ role: 'user', parts }])[0]!['content']).toEqual([
      { type: 'text', text: 'Look' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO', detail: 'low' } },
      { type: 'image_url', image_url: { url: 'https://x/y.png' } },
      { type: 'input_audio', input_audio: { data: 'SUQz', format: 'mp3' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBE' } },
      { type: 'text', text: 'plain' },
    ]);
  });

  test('pictures in results follow in a message of the user’s', () => {
    const content = [
      { type: 'text' as const, text: 'of x' },
      { type: 'image' as const, source: { url: 'https://x/y.png' } },
    ];
    const list = [
      assistant(call('x')),
      { role: 'tool' as const, parts: [{ type: 'tool_result' as const, id: 'x', name: 'f', content }] },
    ];
    expect(messages(list).slice(1)).toEqual([
      { role: 'tool', tool_call_id: 'x', content: 'of x' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Result of f:' },
          { type: 'image_url', image_url: { url: 'https://x/y.png' } },
        ],
      },
    ]);
  });

  test('ids that are too long are made shorter, the same for call and result', () => {
    const id = 'x'.repeat(60);
    const [called, result] = messages([assistant(call(id)), results(id)]);
    const [made] = called!['tool_calls'] as Json[];
    expect(String(made!['id']).length).toBeLessThanOrEqual(40);
    expect(result!['tool_call_id']).toBe(made!['id']);
    expect(messages([results('abc')], { toolId: (given) => `${given}!` })[0]!['tool_call_id']).toBe('abc!');
  });

  test('earlier reasoning goes where the provider takes it, and nowhere else', () => {
    const thinking: Part = { type: 'thinking', text: 'Hm', signature: { kind: 'anthropic', value: 'SIG' } };
    const list = [assistant(thinking, 'A')];
    expect(messages(list)).toEqual([{ role: 'assistant', content: 'A' }]);
    expect(messages(list, { reasoningAs: 'reasoning_content' })).toMatchObject([{ reasoning_content: 'Hm' }]);
    expect(messages(list, { reasoningAs: 'reasoning_details' })).toMatchObject([
      { reasoning: 'Hm', reasoning_details: [{ text: 'Hm', signature: 'SIG' }] },
    ]);
  });

  test('marks go to providers that take them', () => {
    const list = [{ role: 'user' as const, parts: [{ type: 'text' as const, text: 'A', cache: { ttl: '1h' } }] }];
    expect(messages(list)[0]!['content']).toBe('A');
    const cache_control = { type: 'ephemeral', ttl: '1h' };
    expect(messages(list, { cacheControl: true })[0]!['content']).toEqual([{ type: 'text', text: 'A', cache_control }]);
  });

  test('what the wire cannot say is refused', () => {
    expectRefusal(() => messages([user({ type: 'file', source: { url: 'https://x/y.pdf' } })]), 'messages');
    expectRefusal(() => messages([user({ type: 'image', source: { fileId: 'file-1' } })]), 'messages');
    expectRefusal(() => write({ choices: 2 }), 'n');
  });
});

describe('tools', () => {
  const tools = [
    { name: 'f', strict: true },
    { name: 'g', custom: true },
  ];
  const nothing = { type: 'object', properties: {} };

  test('functions and custom tools', () => {
    expect(write({ tools, parallelToolCalls: false })).toMatchObject({
      tools: [
        { type: 'function', function: { name: 'f', parameters: nothing, strict: true } },
        { type: 'function', function: { name: 'g', parameters: { required: ['input'] } } },
      ],
      parallel_tool_calls: false,
    });
  });

  test.each<[ChatRequest['toolChoice'], unknown]>([
    [undefined, undefined],
    [{ mode: 'required' }, 'required'],
    [{ mode: 'none' }, 'none'],
    [
      { mode: 'required', names: ['f'] },
      { type: 'function', function: { name: 'f' } },
    ],
    [{ mode: 'required', names: ['f', 'g'] }, 'required'],
  ])('%o', (toolChoice, choice) => {
    expect(write({ tools, toolChoice })['tool_choice']).toEqual(choice);
  });

  test('without tools there is no choice', () => {
    expect(write({ toolChoice: { mode: 'auto' }, parallelToolCalls: true })).not.toHaveProperty('tool_choice');
  });
});

const sampling = {
  maxOutput: 7,
  temperature: 0,
  topP: 0.5,
  frequencyPenalty: 1,
  presencePenalty: -1,
  verbosity: 'low',
};

test.each<[string, Json]>([
  ['gpt-4.1', { max_tokens: 7, temperature: 0, top_p: 0.5, frequency_penalty: 1, presence_penalty: -1 }],
  ['deepseek-chat', { max_tokens: 7, temperature: 0, top_p: 0.5, frequency_penalty: 1, presence_penalty: -1 }],
  ['gpt-5-chat-latest', { max_tokens: 7, temperature: 0, top_p: 0.5, frequency_penalty: 1, presence_penalty: -1 }],
  ['o3-mini', { max_completion_tokens: 7, verbosity: 'low' }],
  ['openai/gpt-5.1', { max_completion_tokens: 7, verbosity: 'low' }],
])('how it is drawn by %s', (model, expected) => {
  const { model: _, messages: __, ...rest } = write(sampling, { model });
  expect(rest).toEqual(expected);
});

test.each<[string, Json]>([
  ['gpt-4.1', {}],
  ['deepseek-reasoner', {}],
  ['gpt-5.1', { reasoning_effort: 'low' }],
  ['gpt-oss-120b', { reasoning_effort: 'low' }],
])('how %s is told to reason', (model, expected) => {
  const { model: _, messages: __, ...rest } = write({ reasoning: { effort: 'low' } }, { model });
  expect(rest).toEqual(expected);
});

test('a provider defines its reasoning parameters and refused fields', () => {
  const reasoning = { effort: 'none' as const };
  const say = () => ({ thinking: { type: 'disabled' } });
  expect(write({ reasoning, user: 'u' }, { reasoning: say, omit: ['user'] })).toEqual({
    ...write(),
    thinking: { type: 'disabled' },
  });
});

test('the rest', () => {
  const schema = { type: 'object' };
  const format = { type: 'json_schema' as const, schema, strict: true };
  expect(
    write({ stop: ['1', '2', '3', '4', '5'], seed: 7, user: 'u', serviceTier: 'flex', cacheKey: 'k', format }),
  ).toMatchObject({
    stop: ['1', '2', '3', '4'],
    seed: 7,
    user: 'u',
    service_tier: 'flex',
    prompt_cache_key: 'k',
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } },
  });
});
