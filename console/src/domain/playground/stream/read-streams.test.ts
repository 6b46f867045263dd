import { expect, test } from 'vitest';
import type { ModelAnswer } from '#domain/playground/playground-types.ts';
import { AnswerDraft } from './answer-draft.ts';
import type { DeltaReader } from './delta.ts';
import { EventReader } from './event-reader.ts';
import { readChat } from './read-chat.ts';
import { readGemini } from './read-gemini.ts';
import { readMessages } from './read-messages.ts';
import { readResponses } from './read-responses.ts';

const start: ModelAnswer = {
  id: 'a',
  model: 'm',
  state: 'running',
  text: '',
  reasoning: '',
  tools: [],
  media: [],
};

function answerOf(read: DeltaReader, events: object[]): Partial<ModelAnswer> {
  const draft = new AnswerDraft(start);
  for (const event of events) for (const delta of read({ ...event })) draft.add(delta);
  const { text, reasoning, tools, media, usage, finish, error } = draft.copy();
  return { text, reasoning, tools, media, usage, finish, error };
}

const chat = (delta: object, more = {}) => ({ choices: [{ index: 0, delta, ...more }] });
const item = { type: 'function_call', id: 'fc_1', name: 'f' };

test.each<[string, DeltaReader, object[]]>([
  [
    'a stream of Chat',
    readChat,
    [
      chat({ role: 'assistant', content: '' }),
      chat({ reasoning_content: 'hm' }),
      chat({ content: 'He' }),
      chat({ content: 'y' }),
      chat({ tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{"a"' } }] }),
      chat({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }),
      chat({}, { finish_reason: 'stop' }),
      { choices: [], usage: { prompt_tokens: 3, completion_tokens: 5 } },
    ],
  ],
  [
    'a reply of Chat',
    readChat,
    [
      {
        choices: [
          {
            message: {
              content: 'Hey',
              reasoning_content: 'hm',
              tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{"a":1}' } }],
            },
            finish_reason: 'stop',
          },
        ],
        usage: { prompt_tokens: 3, completion_tokens: 5 },
      },
    ],
  ],
  [
    'a stream of Responses',
    readResponses,
    [
      { type: 'response.created', response: { status: 'in_progress' } },
      { type: 'response.reasoning_summary_text.delta', delta: 'hm' },
      { type: 'response.output_text.delta', delta: 'He' },
      { type: 'response.output_text.delta', delta: 'y' },
      { type: 'response.output_item.added', item },
      { type: 'response.function_call_arguments.delta', item_id: 'fc_1', delta: '{"a":1}' },
      { type: 'response.function_call_arguments.done', item_id: 'fc_1', arguments: '{"a":1}' },
      { type: 'response.completed', response: { status: 'stop', usage: { input_tokens: 3, output_tokens: 5 } } },
    ],
  ],
  [
    'a reply of Responses',
    readResponses,
    [
      {
        status: 'stop',
        output: [
          { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
          { type: 'message', content: [{ type: 'output_text', text: 'Hey' }] },
          { ...item, arguments: '{"a":1}' },
        ],
        usage: { input_tokens: 3, output_tokens: 5 },
      },
    ],
  ],
  [
    'a stream of Messages',
    readMessages,
    [
      { type: 'message_start', message: { usage: { input_tokens: 1, cache_read_input_tokens: 2, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Hey' } },
      { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 't', name: 'f', input: {} } },
      { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"a":1}' } },
      { type: 'message_delta', delta: { stop_reason: 'stop' }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ],
  ],
  [
    'a reply of Messages',
    readMessages,
    [
      {
        type: 'message',
        content: [
          { type: 'thinking', thinking: 'hm' },
          { type: 'text', text: 'Hey' },
          { type: 'tool_use', name: 'f', input: { a: 1 } },
        ],
        stop_reason: 'stop',
        usage: { input_tokens: 3, output_tokens: 5 },
      },
    ],
  ],
  [
    'chunks of Gemini',
    readGemini,
    [
      { candidates: [{ content: { parts: [{ text: 'hm', thought: true }] } }] },
      { candidates: [{ content: { parts: [{ text: 'Hey' }] } }], usageMetadata: { promptTokenCount: 3 } },
      {
        candidates: [{ content: { parts: [{ functionCall: { name: 'f', args: { a: 1 } } }] }, finishReason: 'stop' }],
        usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4, thoughtsTokenCount: 1 },
      },
    ],
  ],
])('%s becomes the same answer', (_, read, events) => {
  expect(answerOf(read, events)).toEqual({
    text: 'Hey',
    reasoning: 'hm',
    tools: [{ name: 'f', input: '{"a":1}' }],
    media: [],
    usage: { input: 3, output: 5 },
    finish: 'stop',
    error: undefined,
  });
});

test.each<[string, DeltaReader, object]>([
  ['Responses', readResponses, { type: 'response.failed', response: { error: { code: 'x', message: 'broke' } } }],
  ['Responses, in an event', readResponses, { type: 'error', code: 'x', message: 'broke' }],
  ['Messages', readMessages, { type: 'error', error: { type: 'x', message: 'broke' } }],
])('an error in a stream of %s is read', (_, read, event) => {
  expect(answerOf(read, [event]).error).toEqual({ status: 0, code: 'x', message: 'broke' });
});

test('nothing that an upstream sends breaks a reader', () => {
  const odd = [null, 1, 'x', [], [null], { a: null }];
  const names = ['choices', 'type', 'output', 'content', 'candidates', 'usage', 'delta', 'message', 'usageMetadata'];
  for (const read of [readChat, readResponses, readMessages, readGemini])
    for (const name of names) for (const value of odd) expect(read({ [name]: value })).toEqual(expect.any(Array));
});

test('events are found however the bytes are cut', () => {
  const stream = 'event: a\r\ndata: {"x":1}\r\n\r\n: comment\n\ndata:one\ndata: two\n\ndata: [DONE]';
  for (const size of [1, 2, 7, 1000]) {
    const reader = new EventReader();
    const pieces = stream.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
    expect([...pieces.flatMap((piece) => reader.feed(piece)), ...reader.end()]).toEqual([
      '{"x":1}',
      'one\ntwo',
      '[DONE]',
    ]);
  }
});

test('a line of many pieces takes time in proportion to its length', () => {
  const cpuMs = (pieces: number): number => {
    const reader = new EventReader();
    const before = process.threadCpuUsage();
    reader.feed('data: ');
    for (let i = 0; i < pieces; i++) reader.feed('0123456789');
    expect(reader.feed('\n\n')[0]).toHaveLength(10 * pieces);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
  const fastest = (pieces: number) => Math.min(cpuMs(pieces), cpuMs(pieces), cpuMs(pieces));
  expect(fastest(200_000)).toBeLessThan(8 * Math.max(fastest(50_000), 5));
});
