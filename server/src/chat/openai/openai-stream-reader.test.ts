import { noUsage } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import type { ChatEvent } from '../chat.ts';
import { eventsIn, sse } from '../testing/read-sse.ts';

const chunk = (delta: object, finish: string | null = null, more: object = {}) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'gpt-4.1',
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
});
const start: ChatEvent = { type: 'start', id: 'chatcmpl-1', model: 'gpt-4.1' };
const role = chunk({ role: 'assistant', content: '' });
const DONE = 'data: [DONE]\n\n';
const cameIn = (field: string): ChatEvent => ({ type: 'thinking_end', signature: { kind: 'chat', value: field } });
const finish = (reason: 'stop' | 'length' | 'tool_calls' | 'content_filter' = 'stop'): ChatEvent => ({
  type: 'finish',
  reason,
});
const args = (index: number, json: string): ChatEvent => ({ type: 'tool_arguments', index, json });
const called = (index: number, name: string, id: unknown = expect.stringMatching(/^call_\w{24}$/)) => ({
  type: 'tool_start',
  index,
  id,
  name,
});
const toolDelta = (...calls: object[]) => chunk({ tool_calls: calls });

const usage = { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 };
const told: ChatEvent = { type: 'usage', usage: { ...noUsage, input: 10, output: 3 } };

type Row = [what: string, stream: string, events: unknown[]];

const rows: Row[] = [
  [
    'OpenAI: text, then usage in an event of its own',
    sse(
      role,
      chunk({ content: 'Hel' }),
      chunk({ content: 'lo' }),
      chunk({}, 'stop'),
      { ...chunk({}), choices: [], usage },
      DONE,
    ),
    [start, { type: 'text', text: 'Hel' }, { type: 'text', text: 'lo' }, told, finish()],
  ],
  [
    'OpenAI: two calls at once',
    sse(
      role,
      toolDelta({ index: 0, id: 'call_a', type: 'function', function: { name: 'weather', arguments: '' } }),
      toolDelta({ index: 0, function: { arguments: '{"ci' } }),
      toolDelta({ index: 0, function: { arguments: 'ty":1}' } }),
      toolDelta({ index: 1, id: 'call_b', type: 'function', function: { name: 'time', arguments: '' } }),
      toolDelta({ index: 1, function: { arguments: '{}' } }),
      chunk({}, 'tool_calls'),
      DONE,
    ),
    [
      start,
      called(0, 'weather', 'call_a'),
      args(0, '{"ci'),
      args(0, 'ty":1}'),
      { type: 'tool_end', index: 0 },
      called(1, 'time', 'call_b'),
      args(1, '{}'),
      { type: 'tool_end', index: 1 },
      finish('tool_calls'),
    ],
  ],
  [
    'calls that all have the number 0, and end with stop',
    sse(
      toolDelta({ index: 0, id: 'a', function: { name: 'weather', arguments: '{}' } }),
      toolDelta({ index: 0, id: 'b', function: { name: 'weather', arguments: '{}' } }),
      chunk({}, 'stop'),
      DONE,
    ),
    [
      start,
      called(0, 'weather', 'a'),
      args(0, '{}'),
      { type: 'tool_end', index: 0 },
      called(1, 'weather', 'b'),
      args(1, '{}'),
      { type: 'tool_end', index: 1 },
      finish('tool_calls'),
    ],
  ],
  [
    'calls without numbers, one of them in pieces that repeat its id',
    sse(
      toolDelta({ id: 'a', function: { name: 'weather', arguments: '{"x":' } }),
      toolDelta({ id: 'a', function: { arguments: '1}' } }),
      toolDelta({ id: 'b', function: { name: 'time', arguments: '{}' } }),
      chunk({}, 'tool_calls'),
      DONE,
    ),
    [
      start,
      called(0, 'weather', 'a'),
      args(0, '{"x":'),
      args(0, '1}'),
      { type: 'tool_end', index: 0 },
      called(1, 'time', 'b'),
      args(1, '{}'),
      { type: 'tool_end', index: 1 },
      finish('tool_calls'),
    ],
  ],
  [
    'a name that is repeated with each piece is one call; arguments may be an object',
    sse(
      toolDelta({ index: 0, id: 'a', function: { name: 'weather', arguments: '{' } }),
      toolDelta({ index: 0, id: '', function: { name: 'weather', arguments: '}' } }),
      toolDelta({ index: 1, id: 'b', function: { name: 'time', arguments: { x: 1 } } }),
      chunk({}, 'tool_calls'),
      DONE,
    ),
    [
      start,
      called(0, 'weather', 'a'),
      args(0, '{'),
      args(0, '}'),
      { type: 'tool_end', index: 0 },
      called(1, 'time', 'b'),
      args(1, '{"x":1}'),
      { type: 'tool_end', index: 1 },
      finish('tool_calls'),
    ],
  ],
  [
    'a call without an id gets one; an old function call is a call',
    sse(
      chunk({ function_call: { name: 'weather', arguments: '' } }),
      chunk({ function_call: { arguments: '{}' } }),
      chunk({}, 'function_call'),
      DONE,
    ),
    [start, called(0, 'weather'), args(0, '{}'), { type: 'tool_end', index: 0 }, finish('tool_calls')],
  ],
  [
    'DeepSeek: comments while it waits, reasoning before the answer, usage beside the end',
    sse(
      ': keep-alive\n\n',
      chunk({ role: 'assistant', content: null, reasoning_content: 'Hm' }),
      '\n\n',
      chunk({ content: 'Yes', reasoning_content: null }),
      chunk({ content: '' }, 'stop', { usage }),
      DONE,
    ),
    [
      start,
      { type: 'thinking', text: 'Hm' },
      cameIn('reasoning_content'),
      { type: 'text', text: 'Yes' },
      told,
      finish(),
    ],
  ],
  [
    'OpenRouter: signed reasoning',
    sse(
      ': OPENROUTER PROCESSING\n\n',
      chunk({
        content: '',
        reasoning: 'Hm',
        reasoning_details: [{ type: 'reasoning.text', text: 'Hm', format: 'anthropic-claude-v1', index: 0 }],
      }),
      chunk({
        content: '',
        reasoning: null,
        reasoning_details: [{ type: 'reasoning.text', signature: 'SIG', format: 'anthropic-claude-v1', index: 0 }],
      }),
      chunk({ content: 'Yes' }),
      chunk({}, 'stop'),
      DONE,
    ),
    [
      start,
      { type: 'thinking', text: 'Hm' },
      { type: 'thinking_end', signature: { kind: 'anthropic', value: 'SIG' } },
      { type: 'text', text: 'Yes' },
      finish(),
    ],
  ],
  [
    'Google’s compatible address: the signature stands at the call',
    sse(
      toolDelta({
        index: 0,
        id: 'a',
        extra_content: { google: { thought_signature: 'SIG' } },
        function: { name: 'time', arguments: '{}' },
      }),
      chunk({}, 'stop'),
      DONE,
    ),
    [
      start,
      { ...called(0, 'time', 'a'), signature: { kind: 'gemini', value: 'SIG' } },
      args(0, '{}'),
      { type: 'tool_end', index: 0 },
      finish('tool_calls'),
    ],
  ],
  [
    'Mistral: content as a list of thinking and text, an end of its own',
    sse(
      chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }] }),
      chunk({ content: [{ type: 'text', text: 'Yes' }] }),
      chunk({}, 'model_length'),
      DONE,
    ),
    [start, { type: 'thinking', text: 'Hm' }, cameIn('content'), { type: 'text', text: 'Yes' }, finish('length')],
  ],
  [
    'Zhipu: a context that is full',
    sse(chunk({ content: 'A' }), chunk({}, 'model_context_window_exceeded'), DONE),
    [start, { type: 'text', text: 'A' }, finish('length')],
  ],
  [
    'Moonshot: usage inside of the choice',
    sse({ ...chunk({}), choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage }] }, DONE),
    [start, told, finish()],
  ],
  [
    'a picture',
    sse(
      chunk({ images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } }] }),
      chunk({}, 'stop'),
      DONE,
    ),
    [start, { type: 'image', mime: 'image/png', base64: 'iVBO' }, finish()],
  ],
  [
    'a refusal',
    sse(chunk({ refusal: 'No.' }), chunk({}, 'content_filter'), DONE),
    [start, { type: 'refusal', text: 'No.' }, finish('content_filter')],
  ],
  [
    'other choices are not told',
    sse(
      {
        ...chunk({}),
        choices: [
          { index: 1, delta: { content: 'B' } },
          { index: 0, delta: { content: 'A' } },
        ],
      },
      chunk({}, 'stop'),
      DONE,
    ),
    [start, { type: 'text', text: 'A' }, finish()],
  ],
  [
    'Azure: a first event without choices',
    sse({ ...chunk({}), choices: [], prompt_filter_results: [] }, chunk({ content: 'A' }), chunk({}, 'stop'), DONE),
    [start, { type: 'text', text: 'A' }, finish()],
  ],
  [
    'an end without [DONE] is an end',
    sse(chunk({ content: 'A' }), chunk({}, 'stop')),
    [start, { type: 'text', text: 'A' }, finish()],
  ],
  [
    '[DONE] without a reason is an end',
    sse(chunk({ content: 'A' }), DONE),
    [start, { type: 'text', text: 'A' }, finish()],
  ],
  ['nothing counts after [DONE]', sse(chunk({}, 'stop'), DONE, chunk({ content: 'B' })), [start, finish()]],
  [
    'CRLF and a mark at the beginning',
    `\uFEFF${sse(chunk({ content: 'A' }), chunk({}, 'stop'), DONE).replaceAll('\n', '\r\n')}`,
    [start, { type: 'text', text: 'A' }, finish()],
  ],
];

test.each(rows)('%s', (_, stream, events) => {
  expect(eventsIn('openai', stream)).toEqual(events);
});

const broken = (message: unknown = expect.any(String)) => ({
  type: 'error',
  error: { code: 'stream_broken', message },
});

const faults: Row[] = [
  ['nothing at all', '', [broken('the stream ended before its end')]],
  ['only a comment', ': waiting\n\n', [broken()]],
  [
    'cut in the midst of an event',
    sse(chunk({ content: 'A' })) + 'data: {"choices":[{"del',
    [start, { type: 'text', text: 'A' }, broken()],
  ],
  [
    'an end without a reason, with usage',
    sse(chunk({ content: 'A' }, null, { usage })),
    [start, { type: 'text', text: 'A' }, told, broken()],
  ],
  ['HTML', '<html>502</html>', [broken()]],
  ['data that is no JSON', 'data: {oops\n\n', [broken()]],
  ['data that is no object', 'data: 7\n\n', [broken()]],
  [
    'an error in the stream',
    sse(
      chunk({ content: 'A' }),
      { error: { message: 'Overloaded.', type: 'server_error', code: 'overloaded' } },
      chunk({ content: 'B' }),
      DONE,
    ),
    [
      start,
      { type: 'text', text: 'A' },
      {
        type: 'error',
        error: {
          code: 'error_in_stream',
          message: 'Overloaded.',
          vendorType: 'server_error',
          vendorCode: 'overloaded',
          status: 500,
        },
      },
    ],
  ],
  [
    'OpenRouter’s error beside choices',
    sse({ ...chunk({}, 'error'), error: { code: 502, message: 'Provider gone.' } }),
    [
      {
        type: 'error',
        error: { code: 'error_in_stream', message: 'Provider gone.', vendorType: undefined, status: 502 },
      },
    ],
  ],
  [
    'DeepSeek has no room',
    sse(chunk({}, 'insufficient_system_resource'), DONE),
    [start, { type: 'error', error: { code: 'error_in_stream', message: 'insufficient_system_resource' } }],
  ],
];

test.each(faults)('%s is no end', (_, stream, events) => {
  expect(eventsIn('openai', stream)).toEqual(events);
});
