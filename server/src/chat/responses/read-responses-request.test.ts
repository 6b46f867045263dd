import { expect, test } from 'vitest';
import type { Json } from '#json.ts';
import type { Part } from '../chat.ts';
import { expectRefusal } from '../testing/refusals.ts';
import { readResponsesRequest } from './read-responses-request.ts';

const read = (more: Json = {}) => readResponsesRequest({ model: 'm', input: 'Hello', ...more });
const messages = (...input: Json[]) => readResponsesRequest({ model: 'm', input }).messages;
const text = (said: string): Part => ({ type: 'text', text: said });

test('the least that a request can be', () => {
  expect(read()).toEqual({
    model: 'm',
    messages: [{ role: 'user', parts: [text('Hello')] }],
    tools: [],
    stop: [],
    stream: false,
    includeUsage: true,
    echo: {},
  });
});

const schema = { type: 'object', properties: {} };

type Row = [what: string, more: Json, expected: Json];

const rows: Row[] = [
  [
    'instructions',
    { instructions: 'Be brief.' },
    { messages: [{ role: 'developer', parts: [text('Be brief.')] }, {}], echo: { instructions: 'Be brief.' } },
  ],
  [
    'a tool',
    { tools: [{ type: 'function', name: 'f', description: 'd', parameters: schema, strict: true }] },
    { tools: [{ name: 'f', description: 'd', schema, strict: true }] },
  ],
  [
    'a custom tool',
    { tools: [{ type: 'custom', name: 'f', format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' } }] },
    { tools: [{ name: 'f', custom: true, description: expect.stringContaining('start: "x"') }] },
  ],
  [
    'tools of the vendor’s own are none of the caller’s; the search is a wish',
    { tools: [{ type: 'web_search' }, { type: 'function', name: 'f' }], tool_choice: { type: 'web_search' } },
    { tools: [{ name: 'f' }], webSearch: {}, toolChoice: { mode: 'required', hosted: 'web_search' } },
  ],
  ['this tool', { tool_choice: { type: 'function', name: 'f' } }, { toolChoice: { mode: 'required', names: ['f'] } }],
  [
    'one of these',
    {
      tool_choice: {
        type: 'allowed_tools',
        mode: 'required',
        tools: [{ type: 'function', name: 'f' }, { type: 'web_search' }],
      },
    },
    { toolChoice: { mode: 'required', names: ['f'] } },
  ],
  [
    'the limit and how it is drawn',
    { max_output_tokens: 7, temperature: 0, top_p: 0.5, parallel_tool_calls: false },
    { maxOutput: 7, temperature: 0, topP: 0.5, parallelToolCalls: false },
  ],
  [
    'a schema',
    { text: { format: { type: 'json_schema', name: 'a', schema, strict: true }, verbosity: 'low' } },
    { format: { type: 'json_schema', name: 'a', schema, strict: true }, verbosity: 'low' },
  ],
  ['reasoning', { reasoning: { effort: 'high', summary: 'auto' } }, { reasoning: { effort: 'high', show: true } }],
  ['reasoning that is not shown', { reasoning: { effort: 'high' } }, { reasoning: { effort: 'high', show: false } }],
  [
    'what has no effect here',
    {
      store: true,
      metadata: { a: 'b' },
      truncation: 'auto',
      include: ['reasoning.encrypted_content'],
      background: false,
    },
    { echo: { metadata: { a: 'b' }, truncation: 'auto' } },
  ],
];

test.each(rows)('%s', (_, more, expected) => {
  expect(read(more)).toMatchObject(expected);
});

test('parts of a message', () => {
  const content = [
    { type: 'input_text', text: 'Look' },
    { type: 'input_image', image_url: 'https://x/y.png', detail: 'high' },
    { type: 'input_image', file_id: 'file-1' },
    { type: 'input_file', filename: 'a.pdf', file_data: 'JVBE' },
    { type: 'input_file', file_url: 'https://x/y.pdf' },
    { type: 'input_audio', input_audio: { data: 'UklG', format: 'wav' } },
  ];
  expect(messages({ role: 'user', content })[0]!.parts).toEqual([
    text('Look'),
    { type: 'image', source: { url: 'https://x/y.png' }, detail: 'high' },
    { type: 'image', source: { fileId: 'file-1' } },
    { type: 'file', source: { mime: 'application/pdf', base64: 'JVBE' }, name: 'a.pdf', mime: 'application/pdf' },
    { type: 'file', source: { url: 'https://x/y.pdf' }, mime: 'application/pdf' },
    { type: 'audio', mime: 'audio/wav', base64: 'UklG' },
  ]);
});

test('items of one side that follow each other are one message', () => {
  const list = messages(
    { role: 'user', content: 'Go' },
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm' }], encrypted_content: 'ENC' },
    {
      type: 'message',
      role: 'assistant',
      content: [
        { type: 'output_text', text: 'I look.' },
        { type: 'refusal', refusal: 'No.' },
      ],
    },
    { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
    { type: 'custom_tool_call', call_id: 'b', name: 'g', input: 'in' },
    { type: 'web_search_call', id: 'ws_1', status: 'completed' },
    { type: 'function_call_output', call_id: 'a', output: 'one' },
    {
      type: 'custom_tool_call_output',
      call_id: 'b',
      output: [
        { type: 'input_text', text: 'two' },
        { type: 'input_image', image_url: 'data:image/png;base64,iVBO' },
      ],
    },
  );
  expect(list.slice(1)).toEqual([
    {
      role: 'assistant',
      parts: [
        { type: 'thinking', text: 'Hm', signature: { kind: 'openai', value: 'rs_1.ENC' } },
        text('I look.'),
        { type: 'refusal', text: 'No.' },
        { type: 'tool_call', id: 'a', name: 'f', arguments: '{}' },
        { type: 'tool_call', id: 'b', name: 'g', arguments: '{"input":"in"}' },
      ],
    },
    {
      role: 'tool',
      parts: [
        { type: 'tool_result', id: 'a', content: [text('one')] },
        {
          type: 'tool_result',
          id: 'b',
          content: [text('two'), { type: 'image', source: { mime: 'image/png', base64: 'iVBO' } }],
        },
      ],
    },
  ]);
});

const refused: [what: string, json: Json, field: string | undefined][] = [
  ['no model', { input: 'x' }, 'model'],
  ['no input', { model: 'm' }, 'input'],
  ['empty input', { model: 'm', input: [] }, 'input'],
  ['an earlier response that is no id', { model: 'm', input: 'x', previous_response_id: 1 }, 'previous_response_id'],
  ['a reference without an id', { model: 'm', input: [{ type: 'item_reference' }] }, 'input.0.id'],
  ['an unknown item', { model: 'm', input: [{ type: 'smell' }] }, 'input.0.type'],
  [
    'an unknown part',
    { model: 'm', input: [{ role: 'user', content: [{ type: 'smell' }] }] },
    'input.0.content.0.type',
  ],
  [
    'a result without its call',
    { model: 'm', input: [{ type: 'function_call_output', output: 'x' }] },
    'input.0.call_id',
  ],
  ['an unknown effort', { model: 'm', input: 'x', reasoning: { effort: 'heroic' } }, 'reasoning.effort'],
];

test.each(refused)('%s is refused', (_, json, field) => {
  expectRefusal(() => readResponsesRequest(json), field);
});

const stateful: [what: string, json: Json, field: string][] = [
  ['an earlier response', { input: 'x', previous_response_id: 'resp_1' }, 'previous_response_id'],
  ['a conversation', { conversation: { id: 'conv_1' } }, 'conversation'],
  ['a stored prompt', { prompt: { id: 'pmpt_1' } }, 'prompt'],
  ['the background', { input: 'x', background: true }, 'background'],
  [
    'a reference to an item',
    {
      input: [
        { role: 'user', content: 'x' },
        { type: 'item_reference', id: 'msg_1' },
      ],
    },
    'input.1',
  ],
  ['a reference without a type', { input: [{ id: 'msg_1' }] }, 'input.0'],
];

test.each(stateful)('%s is marked as state of the provider', (_, json, field) => {
  expect(readResponsesRequest({ model: 'm', ...json }).stateField).toBe(field);
});
