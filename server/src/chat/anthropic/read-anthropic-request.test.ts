import { expect, test } from 'vitest';
import type { Json } from '#json.ts';
import type { Part } from '../chat.ts';
import { expectRefusal } from '../testing/refusals.ts';
import { readAnthropicRequest } from './read-anthropic-request.ts';

const user = { role: 'user', content: 'Hello' };
const request = (more: Json): Json => ({ model: 'm', max_tokens: 9, messages: [user], ...more });
const read = (more: Json = {}) => readAnthropicRequest(request(more));
const messages = (...list: Json[]) => readAnthropicRequest({ model: 'm', max_tokens: 9, messages: list }).messages;
const text = (said: string): Part => ({ type: 'text', text: said });

test('the least that a request can be', () => {
  expect(read()).toEqual({
    model: 'm',
    messages: [{ role: 'user', parts: [text('Hello')] }],
    tools: [],
    maxOutput: 9,
    stop: [],
    stream: false,
    includeUsage: true,
  });
});

test('a request to count tokens needs no limit', () => {
  const { max_tokens: _, ...json } = request({});
  expect(readAnthropicRequest(json, { counting: true }).maxOutput).toBeUndefined();
});

const schema = { type: 'object', properties: {} };

type Row = [what: string, more: Json, expected: Json];

const rows: Row[] = [
  ['a system text', { system: 'Be brief.' }, { messages: [{ role: 'system', parts: [text('Be brief.')] }, {}] }],
  [
    'system blocks, marked',
    { system: [{ type: 'text', text: 'A', cache_control: { type: 'ephemeral' } }] },
    { messages: [{ role: 'system', parts: [{ ...text('A'), cache: {} }] }, {}] },
  ],
  [
    'a tool',
    { tools: [{ name: 'f', description: 'd', input_schema: schema, cache_control: { type: 'ephemeral', ttl: '1h' } }] },
    { tools: [{ name: 'f', description: 'd', schema, cache: { ttl: '1h' } }] },
  ],
  [
    'tools of the vendor’s own are left out',
    {
      tools: [
        { type: 'web_search_20250305', name: 'web_search' },
        { type: 'custom', name: 'f', input_schema: schema },
      ],
    },
    { tools: [{ name: 'f' }] },
  ],
  [
    'any tool, one at a time',
    { tool_choice: { type: 'any', disable_parallel_tool_use: true } },
    { toolChoice: { mode: 'required' }, parallelToolCalls: false },
  ],
  ['this tool', { tool_choice: { type: 'tool', name: 'f' } }, { toolChoice: { mode: 'required', names: ['f'] } }],
  ['no tool', { tool_choice: { type: 'none' } }, { toolChoice: { mode: 'none' } }],
  [
    'how it is drawn',
    { temperature: 0, top_p: 0.5, top_k: 7, stop_sequences: ['END'] },
    { temperature: 0, topP: 0.5, topK: 7, stop: ['END'] },
  ],
  [
    'a schema',
    { output_config: { format: { type: 'json_schema', schema } } },
    { format: { type: 'json_schema', schema } },
  ],
  [
    'a schema under its first name',
    { output_format: { type: 'json_schema', schema } },
    { format: { type: 'json_schema', schema } },
  ],
  [
    'thinking with a budget',
    { thinking: { type: 'enabled', budget_tokens: 2000 } },
    { reasoning: { budget: 2000, show: true } },
  ],
  [
    'thinking by itself, with an effort',
    { thinking: { type: 'adaptive' }, output_config: { effort: 'xhigh' } },
    { reasoning: { effort: 'xhigh', dynamic: true } },
  ],
  [
    'thinking that is not shown',
    { thinking: { type: 'adaptive', display: 'omitted' } },
    { reasoning: { dynamic: true, show: false } },
  ],
  [
    'no thinking',
    { thinking: { type: 'disabled' }, output_config: { effort: 'high' } },
    { reasoning: { effort: 'none' } },
  ],
  [
    'user and tier',
    { metadata: { user_id: 'u' }, service_tier: 'standard_only' },
    { user: 'u', serviceTier: 'default' },
  ],
];

test.each(rows)('%s', (_, more, expected) => {
  expect(read(more)).toMatchObject(expected);
});

test('blocks of a user’s message; results come before the rest', () => {
  const content = [
    { type: 'text', text: 'And this?' },
    { type: 'image', source: { type: 'url', url: 'https://x/y.png' } },
    { type: 'document', title: 'T', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' } },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'plain' } },
    { type: 'document', source: { type: 'file', file_id: 'file_1' } },
    { type: 'search_result', title: 'T', source: 'https://x', content: [{ type: 'text', text: 'found' }] },
    {
      type: 'tool_result',
      tool_use_id: 'a',
      is_error: true,
      content: [
        { type: 'text', text: 'no' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBO' } },
      ],
    },
    { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
    { type: 'tool_result', tool_use_id: 'b' },
  ];
  expect(messages({ role: 'user', content })).toEqual([
    {
      role: 'tool',
      parts: [
        {
          type: 'tool_result',
          id: 'a',
          isError: true,
          content: [text('no'), { type: 'image', source: { mime: 'image/png', base64: 'iVBO' } }],
        },
        { type: 'tool_result', id: 'b', content: [] },
      ],
    },
    {
      role: 'user',
      parts: [
        text('And this?'),
        { type: 'image', source: { url: 'https://x/y.png' } },
        { type: 'file', source: { mime: 'application/pdf', base64: 'JVBE' }, name: 'T', mime: 'application/pdf' },
        { type: 'file', source: { text: 'plain' }, mime: 'text/plain' },
        { type: 'file', source: { fileId: 'file_1' }, mime: 'application/pdf' },
        text('T\nhttps://x\nfound'),
      ],
    },
  ]);
});

test('blocks of an answer, and instructions in the midst of it all', () => {
  const content = [
    { type: 'thinking', thinking: 'Hm', signature: 'SIG' },
    { type: 'thinking', thinking: 'Foreign', signature: 'gemini:SIG' },
    { type: 'thinking', thinking: 'Unsigned', signature: '' },
    { type: 'redacted_thinking', data: 'HIDDEN' },
    { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
    { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
  ];
  expect(messages(user, { role: 'assistant', content }, { role: 'system', content: 'New rule.' }).slice(1)).toEqual([
    {
      role: 'assistant',
      parts: [
        { type: 'thinking', text: 'Hm', signature: { kind: 'anthropic', value: 'SIG' } },
        { type: 'thinking', text: 'Foreign', signature: { kind: 'gemini', value: 'SIG' } },
        { type: 'thinking', text: 'Unsigned' },
        { type: 'thinking', text: '', signature: { kind: 'anthropic-redacted', value: 'HIDDEN' } },
        { type: 'tool_call', id: 'a', name: 'f', arguments: '{"x":1}' },
      ],
    },
    { role: 'system', parts: [text('New rule.')] },
  ]);
});

const refused: [what: string, json: unknown, field: string | undefined][] = [
  ['no object', 'x', undefined],
  ['no model', { max_tokens: 9, messages: [user] }, 'model'],
  ['no limit', { model: 'm', messages: [user] }, 'max_tokens'],
  ['a limit below one', request({ max_tokens: 0 }), 'max_tokens'],
  ['no messages', { model: 'm', max_tokens: 9 }, 'messages'],
  ['a role of another dialect', request({ messages: [{ role: 'tool', content: 'x' }] }), 'messages.0.role'],
  [
    'an unknown block',
    request({ messages: [{ role: 'user', content: [{ type: 'smell' }] }] }),
    'messages.0.content.0.type',
  ],
  [
    'a picture without a source',
    request({ messages: [{ role: 'user', content: [{ type: 'image' }] }] }),
    'messages.0.content.0.source',
  ],
  [
    'an unknown source',
    request({ messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'post' } }] }] }),
    'messages.0.content.0.source.type',
  ],
  ['a tool without a schema', request({ tools: [{ name: 'f' }] }), 'tools.0.input_schema'],
  ['an unknown choice', request({ tool_choice: { type: 'maybe' } }), 'tool_choice.type'],
  ['a budget that is missing', request({ thinking: { type: 'enabled' } }), 'thinking.budget_tokens'],
  ['an unknown effort', request({ output_config: { effort: 'heroic' } }), 'output_config.effort'],
];

test.each(refused)('%s is refused', (_, json, field) => {
  expectRefusal(() => readAnthropicRequest(json), field);
});
