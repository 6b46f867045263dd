import { noUsage } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import type { ChatEvent } from '../chat.ts';
import { eventsIn, sse } from '../testing/read-sse.ts';

const usage = { input_tokens: 25, cache_creation_input_tokens: 0, cache_read_input_tokens: 4, output_tokens: 1 };
const begin = {
  type: 'message_start',
  message: { id: 'msg_1', type: 'message', role: 'assistant', content: [], model: 'claude', stop_reason: null, usage },
};
const ping = { type: 'ping' };
const open = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block });
const delta = (index: number, piece: object) => ({ type: 'content_block_delta', index, delta: piece });
const close = (index: number) => ({ type: 'content_block_stop', index });
const end = (stop_reason: string, more: object = {}) => ({
  type: 'message_delta',
  delta: { stop_reason, stop_sequence: null, ...more },
  usage: { output_tokens: 15 },
});
const stop = { type: 'message_stop' };

const text = { type: 'text', text: '' };
const thinking = { type: 'thinking', thinking: '', signature: '' };
const start: ChatEvent = { type: 'start', id: 'msg_1', model: 'claude' };
const told: ChatEvent = { type: 'usage', usage: { ...noUsage, input: 25, cacheRead: 4, output: 15 } };
const finish = (reason: string, stopSequence?: string) => ({ type: 'finish', reason, stopSequence });

type Row = [what: string, stream: string, events: unknown[]];

const rows: Row[] = [
  [
    'text',
    sse(
      begin,
      open(0, text),
      ping,
      delta(0, { type: 'text_delta', text: 'Hel' }),
      delta(0, { type: 'text_delta', text: 'lo' }),
      close(0),
      end('end_turn'),
      stop,
    ),
    [start, { type: 'text', text: 'Hel' }, { type: 'text', text: 'lo' }, told, finish('stop')],
  ],
  [
    'two tools at once, the second without input',
    sse(
      begin,
      open(0, { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} }),
      delta(0, { type: 'input_json_delta', partial_json: '' }),
      delta(0, { type: 'input_json_delta', partial_json: '{"city": "S' }),
      delta(0, { type: 'input_json_delta', partial_json: 'F"}' }),
      close(0),
      open(1, { type: 'tool_use', id: 'toolu_2', name: 'time', input: {} }),
      close(1),
      end('tool_use'),
      stop,
    ),
    [
      start,
      { type: 'tool_start', index: 0, id: 'toolu_1', name: 'weather' },
      { type: 'tool_arguments', index: 0, json: '{"city": "S' },
      { type: 'tool_arguments', index: 0, json: 'F"}' },
      { type: 'tool_end', index: 0 },
      { type: 'tool_start', index: 1, id: 'toolu_2', name: 'time' },
      { type: 'tool_arguments', index: 1, json: '{}' },
      { type: 'tool_end', index: 1 },
      told,
      finish('tool_calls'),
    ],
  ],
  [
    'thinking, signed and hidden',
    sse(
      begin,
      open(0, thinking),
      delta(0, { type: 'thinking_delta', thinking: 'Hm' }),
      delta(0, { type: 'signature_delta', signature: 'SIG' }),
      close(0),
      open(1, { type: 'redacted_thinking', data: 'HIDDEN' }),
      close(1),
      open(2, text),
      delta(2, { type: 'text_delta', text: 'Yes' }),
      close(2),
      end('end_turn'),
      stop,
    ),
    [
      start,
      { type: 'thinking', text: 'Hm' },
      { type: 'thinking_end', signature: { kind: 'anthropic', value: 'SIG' } },
      { type: 'thinking_end', signature: { kind: 'anthropic-redacted', value: 'HIDDEN' } },
      { type: 'text', text: 'Yes' },
      told,
      finish('stop'),
    ],
  ],
  [
    'thinking that is not shown: a signature without text',
    sse(
      begin,
      open(0, thinking),
      delta(0, { type: 'signature_delta', signature: 'SIG' }),
      close(0),
      end('end_turn'),
      stop,
    ),
    [start, { type: 'thinking_end', signature: { kind: 'anthropic', value: 'SIG' } }, told, finish('stop')],
  ],
  [
    'tools of the vendor’s own are not told, nor citations',
    sse(
      begin,
      open(0, { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }),
      delta(0, { type: 'input_json_delta', partial_json: '{"query":"x"}' }),
      close(0),
      open(1, { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }),
      close(1),
      open(2, text),
      delta(2, { type: 'citations_delta', citation: {} }),
      delta(2, { type: 'text_delta', text: 'Found' }),
      close(2),
      end('end_turn'),
      stop,
    ),
    [start, { type: 'text', text: 'Found' }, told, finish('stop')],
  ],
  [
    'a stop sequence',
    sse(begin, end('stop_sequence', { stop_sequence: 'END' }), stop),
    [start, told, finish('stop_sequence', 'END')],
  ],
  ['the limit', sse(begin, end('max_tokens'), stop), [start, told, finish('length')]],
  ['the context is full', sse(begin, end('model_context_window_exceeded'), stop), [start, told, finish('length')]],
  ['a refusal', sse(begin, end('refusal'), stop), [start, told, finish('refusal')]],
  ['a pause', sse(begin, end('pause_turn'), stop), [start, told, finish('pause')]],
  ['a reason of tomorrow', sse(begin, end('whatever'), stop), [start, told, finish('stop')]],
  ['events of tomorrow', sse(begin, { type: 'new_event', x: 1 }, end('end_turn'), stop), [start, told, finish('stop')]],
  [
    'counters that the end tells again count once',
    sse(
      begin,
      { ...end('end_turn'), usage: { input_tokens: 25, cache_read_input_tokens: null, output_tokens: 15 } },
      stop,
    ),
    [start, told, finish('stop')],
  ],
];

test.each(rows)('%s', (_, stream, events) => {
  expect(eventsIn('anthropic', stream)).toEqual(events);
});

// The output count of a start event does not refer to any text.
const begun: ChatEvent = { type: 'usage', usage: { ...noUsage, input: 25, cacheRead: 4 } };
const broken = { type: 'error', error: { code: 'stream_broken', message: 'the stream ended before its end' } };

const faults: Row[] = [
  [
    'a stream without message_stop',
    sse(begin, open(0, text), delta(0, { type: 'text_delta', text: 'A' }), close(0), end('end_turn')),
    [start, { type: 'text', text: 'A' }, told, broken],
  ],
  ['a beginning', sse(begin), [start, begun, broken]],
  [
    'an overload in the midst of it',
    sse(begin, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
    [
      start,
      {
        type: 'error',
        error: { code: 'error_in_stream', message: 'Overloaded', vendorType: 'overloaded_error', status: 529 },
      },
    ],
  ],
];

test.each(faults)('%s is no end', (_, stream, events) => {
  expect(eventsIn('anthropic', stream)).toEqual(events);
});
