import { expect, test } from 'vitest';
import type { Json } from '#json.ts';
import type { Part } from '../chat.ts';
import { expectRefusal } from '../testing/refusals.ts';
import { readOpenAiRequest } from './read-openai-request.ts';

const user = { role: 'user', content: 'Hello' };
const request = (more: Json): Json => ({ model: 'm', messages: [user], ...more });
const read = (more: Json = {}) => readOpenAiRequest(request(more));
const messages = (...list: Json[]) => readOpenAiRequest({ model: 'm', messages: list }).messages;
const text = (said: string): Part => ({ type: 'text', text: said });

test('the least that a request can be', () => {
  expect(read()).toEqual({
    model: 'm',
    messages: [{ role: 'user', parts: [text('Hello')] }],
    tools: [],
    stop: [],
    stream: false,
    includeUsage: false,
    legacyFunctions: false,
  });
});

const schema = { type: 'object', properties: { city: { type: 'string' } } };
const parameters = schema;

type Row = [what: string, more: Json, expected: Json];

const rows: Row[] = [
  [
    'null is not given',
    { temperature: null, tools: null, stop: null, stream: null, n: null },
    { temperature: undefined, tools: [], stop: [] },
  ],
  [
    'zero and false are values',
    { temperature: 0, top_p: 0, seed: 0, parallel_tool_calls: false, stream: false },
    { temperature: 0, topP: 0, seed: 0, parallelToolCalls: false },
  ],
  ['the newer limit wins', { max_tokens: 5, max_completion_tokens: 7 }, { maxOutput: 7 }],
  ['the older limit', { max_tokens: 5 }, { maxOutput: 5 }],
  ['one stop sequence', { stop: 'END' }, { stop: ['END'] }],
  ['several', { stop: ['A', 'B'] }, { stop: ['A', 'B'] }],
  [
    'a stream with usage',
    { stream: true, stream_options: { include_usage: true } },
    { stream: true, includeUsage: true },
  ],
  [
    'a tool',
    { tools: [{ type: 'function', function: { name: 'f', description: 'd', parameters, strict: true } }] },
    { tools: [{ name: 'f', description: 'd', schema, strict: true }] },
  ],
  [
    'a custom tool with a grammar',
    {
      tools: [
        {
          type: 'custom',
          custom: {
            name: 'f',
            description: 'd',
            format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "x"' } },
          },
        },
      ],
    },
    { tools: [{ name: 'f', custom: true, description: expect.stringContaining('start: "x"') }] },
  ],
  [
    'functions of old',
    { functions: [{ name: 'f', parameters }], function_call: { name: 'f' } },
    { tools: [{ name: 'f', schema }], toolChoice: { mode: 'required', names: ['f'] }, legacyFunctions: true },
  ],
  ['a search of the web', { web_search_options: {} }, { webSearch: {} }],
  [
    'a search of the web from a place',
    {
      web_search_options: {
        search_context_size: 'low',
        user_location: { type: 'approximate', approximate: { country: 'IT', city: 'Rome' } },
      },
    },
    { webSearch: { country: 'IT', city: 'Rome' } },
  ],
  ['any tool', { tool_choice: 'required' }, { toolChoice: { mode: 'required' } }],
  [
    'this tool',
    { tool_choice: { type: 'function', function: { name: 'f' } } },
    { toolChoice: { mode: 'required', names: ['f'] } },
  ],
  [
    'one of these',
    {
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: {
          mode: 'auto',
          tools: [
            { type: 'function', function: { name: 'f' } },
            { type: 'custom', custom: { name: 'g' } },
          ],
        },
      },
    },
    { toolChoice: { mode: 'auto', names: ['f', 'g'] } },
  ],
  ['JSON', { response_format: { type: 'json_object' } }, { format: { type: 'json' } }],
  [
    'a schema',
    { response_format: { type: 'json_schema', json_schema: { name: 'a', schema, strict: true } } },
    { format: { type: 'json_schema', name: 'a', schema, strict: true } },
  ],
  ['an effort', { reasoning_effort: 'low' }, { reasoning: { effort: 'low', show: true } }],
  ['no effort', { reasoning_effort: 'none' }, { reasoning: { effort: 'none', show: false } }],
  [
    'OpenRouter’s reasoning',
    { reasoning: { max_tokens: 2000, exclude: true } },
    { reasoning: { budget: 2000, show: false } },
  ],
  ['reasoning off', { reasoning: { enabled: false } }, { reasoning: { effort: 'none' } }],
  ['thinking as DeepSeek has it', { thinking: { type: 'disabled' } }, { reasoning: { effort: 'none' } }],
  [
    'thinking with a budget',
    { thinking: { type: 'enabled', budget_tokens: 1024 } },
    { reasoning: { budget: 1024, show: true } },
  ],
  [
    'Google’s wish to think',
    { google: { thinking_config: { thinking_budget: 512, include_thoughts: true } } },
    { reasoning: { budget: 512, show: true } },
  ],
  [
    'Google’s wish not to think',
    { google: { thinkingConfig: { thinkingBudget: 0 } } },
    { reasoning: { effort: 'none' } },
  ],
  ['the safety identifier is a user', { safety_identifier: 'u' }, { user: 'u' }],
];

test.each(rows)('%s', (_, more, expected) => {
  expect(read(more)).toMatchObject(expected);
});

test('parts of a user’s message', () => {
  const content = [
    { type: 'text', text: 'Look', cache_control: { type: 'ephemeral', ttl: '1h' } },
    { type: 'text', text: 'again', prompt_cache_breakpoint: { mode: 'explicit' } },
    { type: 'image_url', image_url: { url: 'https://x/y.png', detail: 'low' } },
    { type: 'image_url', image_url: 'data:image/gif;base64,R0lG' },
    { type: 'input_audio', input_audio: { data: 'UklG', format: 'mp3' } },
    { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBE' } },
    { type: 'file', file: { file_id: 'file-1' } },
    { type: 'video_url', video_url: { url: 'https://x/y.mp4' } },
  ];
  expect(messages({ role: 'user', content })[0]!.parts).toEqual([
    { type: 'text', text: 'Look', cache: { ttl: '1h' } },
    { type: 'text', text: 'again', cache: {} },
    { type: 'image', source: { url: 'https://x/y.png' }, detail: 'low' },
    { type: 'image', source: { mime: 'image/gif', base64: 'R0lG' } },
    { type: 'audio', mime: 'audio/mp3', base64: 'UklG' },
    { type: 'file', source: { mime: 'application/pdf', base64: 'JVBE' }, name: 'a.pdf', mime: 'application/pdf' },
    { type: 'file', source: { fileId: 'file-1' } },
    { type: 'file', source: { url: 'https://x/y.mp4' }, mime: 'video/mp4' },
  ]);
});

test('an answer with calls, and the results of all of them as one message', () => {
  const call = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{"x":1}' } });
  const list = messages(
    user,
    {
      role: 'assistant',
      content: null,
      reasoning_content: 'Hm',
      tool_calls: [call('a'), { id: 'b', type: 'custom', custom: { name: 'g', input: 'in' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: 'one' },
    { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'two' }] },
    { role: 'assistant', content: '', refusal: 'No.' },
  );
  expect(list.slice(1)).toEqual([
    {
      role: 'assistant',
      parts: [
        { type: 'thinking', text: 'Hm', signature: { kind: 'chat', value: 'reasoning_content' } },
        { type: 'tool_call', id: 'a', name: 'f', arguments: '{"x":1}' },
        { type: 'tool_call', id: 'b', name: 'g', arguments: '{"input":"in"}' },
      ],
    },
    {
      role: 'tool',
      parts: [
        { type: 'tool_result', id: 'a', content: [text('one')] },
        { type: 'tool_result', id: 'b', content: [text('two')] },
      ],
    },
    { role: 'assistant', parts: [{ type: 'refusal', text: 'No.' }] },
  ]);
});

test('old function calls and their results find each other', () => {
  const [, called, result] = messages(
    user,
    { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
    { role: 'function', name: 'f', content: 'done' },
  );
  const call = called!.parts[0] as Extract<Part, { type: 'tool_call' }>;
  expect(call).toMatchObject({ name: 'f', arguments: '{}' });
  expect(result).toEqual({
    role: 'tool',
    parts: [{ type: 'tool_result', id: call.id, name: 'f', content: [text('done')] }],
  });
});

const refused: [what: string, json: unknown, field: string | undefined][] = [
  ['no object', [], undefined],
  ['no model', { messages: [user] }, 'model'],
  ['an empty model', { model: '', messages: [user] }, 'model'],
  ['no messages', { model: 'm' }, 'messages'],
  ['empty messages', { model: 'm', messages: [] }, 'messages'],
  ['a message that is none', { model: 'm', messages: ['x'] }, 'messages.0'],
  ['a message without a role', { model: 'm', messages: [{ content: 'x' }] }, 'messages.0.role'],
  ['an unknown role', { model: 'm', messages: [user, { role: 'robot', content: 'x' }] }, 'messages.1.role'],
  ['a user who says nothing', { model: 'm', messages: [{ role: 'user' }] }, 'messages.0.content'],
  ['content that is a number', { model: 'm', messages: [{ role: 'user', content: 7 }] }, 'messages.0.content'],
  [
    'an unknown part',
    { model: 'm', messages: [{ role: 'user', content: [{ type: 'smell' }] }] },
    'messages.0.content.0.type',
  ],
  [
    'a picture without an address',
    { model: 'm', messages: [{ role: 'user', content: [{ type: 'image_url', image_url: {} }] }] },
    'messages.0.content.0.image_url.url',
  ],
  ['a result without its call', { model: 'm', messages: [{ role: 'tool', content: 'x' }] }, 'messages.0.tool_call_id'],
  [
    'a call without a name',
    { model: 'm', messages: [{ role: 'assistant', tool_calls: [{ id: 'a', function: {} }] }] },
    'messages.0.tool_calls.0.function.name',
  ],
  ['stream options without a stream', request({ stream_options: {} }), 'stream_options'],
  ['a temperature that is a text', request({ temperature: 'hot' }), 'temperature'],
  ['a limit of zero', request({ max_tokens: 0 }), 'max_tokens'],
  ['a limit with a fraction', request({ max_completion_tokens: 1.5 }), 'max_completion_tokens'],
  ['stop sequences that are numbers', request({ stop: [7] }), 'stop'],
  ['a tool without a name', request({ tools: [{ type: 'function', function: {} }] }), 'tools.0.function.name'],
  ['an unknown kind of tool', request({ tools: [{ type: 'magic' }] }), 'tools.0.type'],
  ['an unknown choice', request({ tool_choice: 'maybe' }), 'tool_choice'],
  ['an unknown format', request({ response_format: { type: 'xml' } }), 'response_format.type'],
  ['an unknown effort', request({ reasoning_effort: 'heroic' }), 'reasoning_effort'],
];

test.each(refused)('%s is refused', (_, json, field) => {
  expectRefusal(() => readOpenAiRequest(json), field);
});
