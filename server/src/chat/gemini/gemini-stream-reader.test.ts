import { noUsage } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import type { ChatEvent } from '../chat.ts';
import { eventsIn, sse } from '../testing/read-sse.ts';

const counters = { promptTokenCount: 10, candidatesTokenCount: 3, thoughtsTokenCount: 2, totalTokenCount: 15 };
const chunk = (parts: object[], more: object = {}, top: object = {}) => ({
  candidates: [{ content: { parts, role: 'model' }, index: 0, ...more }],
  usageMetadata: counters,
  modelVersion: 'gemini-3-flash',
  responseId: 'r1',
  ...top,
});
const last = (finishReason: string) => chunk([{ text: '' }], { finishReason });

const start: ChatEvent = { type: 'start', id: 'r1', model: 'gemini-3-flash' };
const told: ChatEvent = { type: 'usage', usage: { ...noUsage, input: 10, output: 3, reasoning: 2 } };
const finish = (reason: string) => ({ type: 'finish', reason });
const call = (index: number, name: string, json: string, signature?: string) => [
  {
    type: 'tool_start',
    index,
    id: expect.stringMatching(/^call_\w{24}$/) as unknown,
    name,
    signature: signature && { kind: 'gemini', value: signature },
  },
  { type: 'tool_arguments', index, json },
  { type: 'tool_end', index },
];

type Row = [what: string, stream: string, events: unknown[]];

const rows: Row[] = [
  [
    'text',
    sse(chunk([{ text: 'Hel' }]), chunk([{ text: 'lo' }]), last('STOP')),
    [start, { type: 'text', text: 'Hel' }, { type: 'text', text: 'lo' }, told, finish('stop')],
  ],
  [
    'thoughts, and a signature behind the text',
    sse(
      chunk([{ text: 'Hm', thought: true }]),
      chunk([{ text: 'Yes' }]),
      chunk([{ text: '', thoughtSignature: 'SIG' }], { finishReason: 'STOP' }),
    ),
    [start, { type: 'thinking', text: 'Hm' }, { type: 'text', text: 'Yes' }, told, finish('stop')],
  ],
  [
    'two functions at once, the first of them signed, and one more later',
    sse(
      chunk([
        { functionCall: { name: 'weather', args: { city: 'SF' } }, thoughtSignature: 'SIG' },
        { functionCall: { name: 'time', args: {} } },
      ]),
      chunk([{ functionCall: { name: 'time' } }]),
      last('STOP'),
    ),
    [
      start,
      ...call(0, 'weather', '{"city":"SF"}', 'SIG'),
      ...call(1, 'time', '{}'),
      ...call(2, 'time', '{}'),
      told,
      finish('tool_calls'),
    ],
  ],
  [
    'a function with an id of its own',
    sse(chunk([{ functionCall: { id: 'fc-1', name: 'time', args: {} } }], { finishReason: 'STOP' })),
    [
      start,
      { ...(call(0, 'time', '{}')[0] as object), id: 'fc-1' },
      ...call(0, 'time', '{}').slice(1),
      told,
      finish('tool_calls'),
    ],
  ],
  [
    'a picture',
    sse(chunk([{ inlineData: { mimeType: 'image/jpeg', data: '/9j/' } }], { finishReason: 'STOP' })),
    [start, { type: 'image', mime: 'image/jpeg', base64: '/9j/' }, told, finish('stop')],
  ],
  ['the limit', sse(last('MAX_TOKENS')), [start, told, finish('length')]],
  ...[
    'SAFETY',
    'RECITATION',
    'BLOCKLIST',
    'PROHIBITED_CONTENT',
    'SPII',
    'LANGUAGE',
    'OTHER',
    'NO_IMAGE',
    'IMAGE_SAFETY',
    'TOMORROW',
  ].map((reason): Row => [
    `an objection: ${reason}`,
    sse(chunk([{ text: 'A' }]), last(reason)),
    [start, { type: 'text', text: 'A' }, told, finish('content_filter')],
  ]),
  [
    'a prompt that is blocked',
    sse({
      promptFeedback: { blockReason: 'SAFETY' },
      usageMetadata: counters,
      modelVersion: 'gemini-3-flash',
      responseId: 'r1',
    }),
    [{ type: 'error', error: { code: 'prompt_blocked', message: 'The prompt was blocked: SAFETY' } }],
  ],
  ['the end mark of compatible servers', sse(last('STOP')) + 'data: \n\n', [start, told, finish('stop')]],
];

test.each(rows)('%s', (_, stream, events) => {
  expect(eventsIn('gemini', stream)).toEqual(events);
});

const broken = (message: unknown = expect.any(String)) => ({
  type: 'error',
  error: { code: 'stream_broken', message },
});

const faults: Row[] = [
  [
    'text without a reason to finish',
    sse(chunk([{ text: 'A' }])),
    [start, { type: 'text', text: 'A' }, told, broken('the stream ended before its end')],
  ],
  [
    'a call that cannot be read',
    sse(chunk([], { finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'Malformed: print(' })),
    [start, { type: 'error', error: { code: 'error_in_stream', message: 'Malformed: print(' } }],
  ],
  [
    'an error in the stream',
    sse(chunk([{ text: 'A' }]), { error: { code: 503, message: 'Overloaded.', status: 'UNAVAILABLE' } }),
    [
      start,
      { type: 'text', text: 'A' },
      {
        type: 'error',
        error: { code: 'error_in_stream', message: 'Overloaded.', vendorType: 'UNAVAILABLE', status: 503 },
      },
    ],
  ],
];

test.each(faults)('%s is no end', (_, stream, events) => {
  expect(eventsIn('gemini', stream)).toEqual(events);
});
