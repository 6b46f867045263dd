import { noUsage } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import type { ChatEvent } from '../chat.ts';
import { eventsIn, sse } from '../testing/read-sse.ts';

const usage = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 3,
  output_tokens_details: { reasoning_tokens: 1 },
  total_tokens: 13,
};
const response = { id: 'resp_1', object: 'response', model: 'gpt-5.1', status: 'in_progress', error: null, output: [] };
const created = { type: 'response.created', response, sequence_number: 0 };
const ended = (type: string, more: object) => ({
  type: `response.${type}`,
  response: { ...response, status: type, usage, ...more },
});
const completed = ended('completed', {});
const added = (output_index: number, item: object) => ({ type: 'response.output_item.added', output_index, item });
const done = (output_index: number, item: object) => ({ type: 'response.output_item.done', output_index, item });
const delta = (kind: string, output_index: number, piece: string, more: object = {}) => ({
  type: `response.${kind}.delta`,
  output_index,
  delta: piece,
  ...more,
});
const call = (name: string, args: string) => ({
  type: 'function_call',
  id: `fc_${name}`,
  call_id: `call_${name}`,
  name,
  arguments: args,
});

const start: ChatEvent = { type: 'start', id: 'resp_1', model: 'gpt-5.1' };
const told: ChatEvent = { type: 'usage', usage: { ...noUsage, input: 6, cached: 4, output: 2, reasoning: 1 } };
const finish = (reason: string) => ({ type: 'finish', reason });

type Row = [what: string, stream: string, events: unknown[]];

const rows: Row[] = [
  [
    'text',
    sse(
      created,
      { type: 'response.in_progress', response },
      added(0, { type: 'message' }),
      delta('output_text', 0, 'Hel'),
      delta('output_text', 0, 'lo'),
      { type: 'response.output_text.done', text: 'Hello' },
      done(0, { type: 'message' }),
      completed,
    ),
    [start, { type: 'text', text: 'Hel' }, { type: 'text', text: 'lo' }, told, finish('stop')],
  ],
  [
    'a refusal',
    sse(created, delta('refusal', 0, 'No.'), completed),
    [start, { type: 'refusal', text: 'No.' }, told, finish('stop')],
  ],
  [
    'reasoning of two parts, encrypted',
    sse(
      created,
      added(0, { type: 'reasoning', id: 'rs_1', summary: [] }),
      { type: 'response.reasoning_summary_part.added', summary_index: 0 },
      delta('reasoning_summary_text', 0, 'One'),
      { type: 'response.reasoning_summary_part.added', summary_index: 1 },
      delta('reasoning_summary_text', 0, 'Two'),
      done(0, { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'ENC' }),
      completed,
    ),
    [
      start,
      { type: 'thinking', text: 'One' },
      { type: 'thinking', text: '\n\n' },
      { type: 'thinking', text: 'Two' },
      { type: 'thinking_end', signature: { kind: 'openai', value: 'rs_1.ENC' } },
      told,
      finish('stop'),
    ],
  ],
  [
    'two calls at once, the second told only when it is whole',
    sse(
      created,
      added(0, call('a', '')),
      delta('function_call_arguments', 0, '{"x"'),
      delta('function_call_arguments', 0, ':1}'),
      done(0, call('a', '{"x":1}')),
      added(1, call('b', '')),
      done(1, call('b', '{}')),
      completed,
    ),
    [
      start,
      { type: 'tool_start', index: 0, id: 'call_a', name: 'a' },
      { type: 'tool_arguments', index: 0, json: '{"x"' },
      { type: 'tool_arguments', index: 0, json: ':1}' },
      { type: 'tool_end', index: 0 },
      { type: 'tool_start', index: 1, id: 'call_b', name: 'b' },
      { type: 'tool_arguments', index: 1, json: '{}' },
      { type: 'tool_end', index: 1 },
      told,
      finish('tool_calls'),
    ],
  ],
  [
    'a picture',
    sse(created, done(0, { type: 'image_generation_call', result: 'iVBO', output_format: 'webp' }), completed),
    [start, { type: 'image', mime: 'image/webp', base64: 'iVBO' }, told, finish('stop')],
  ],
  [
    'the limit',
    sse(created, ended('incomplete', { incomplete_details: { reason: 'max_output_tokens' } })),
    [start, told, finish('length')],
  ],
  [
    'a filter',
    sse(created, ended('incomplete', { incomplete_details: { reason: 'content_filter' } })),
    [start, told, finish('content_filter')],
  ],
  [
    'events of tomorrow',
    sse(created, { type: 'response.web_search_call.searching', output_index: 0 }, completed),
    [start, told, finish('stop')],
  ],
];

test.each(rows)('%s', (_, stream, events) => {
  expect(eventsIn('responses', stream)).toEqual(events);
});

const failure = (message: string, vendorType: string, status?: number) => ({
  type: 'error',
  error: { code: 'error_in_stream', message, vendorType, vendorCode: vendorType, status },
});

const faults: Row[] = [
  [
    'a stream without its last event',
    sse(created, delta('output_text', 0, 'A'), done(0, { type: 'message' })),
    [
      start,
      { type: 'text', text: 'A' },
      { type: 'error', error: { code: 'stream_broken', message: 'the stream ended before its end' } },
    ],
  ],
  [
    'a response that failed',
    sse(created, ended('failed', { error: { code: 'rate_limit_exceeded', message: 'Slow down.' } })),
    [start, failure('Slow down.', 'rate_limit_exceeded', 429)],
  ],
  [
    'an error event',
    sse(created, { type: 'error', code: 'server_error', message: 'Oops.', param: null, sequence_number: 1 }),
    [start, failure('Oops.', 'server_error', 500)],
  ],
];

test.each(faults)('%s is no end', (_, stream, events) => {
  expect(eventsIn('responses', stream)).toEqual(events);
});
