import { describe, expect, test } from 'vitest';
import type { Json } from '#json.ts';
import type { ChatReply, ChatRequest } from './chat.ts';
import { ChatCollector, eventsOf } from './chat-events.ts';
import type { DialectId, WireId } from './codec.ts';
import { dialects, openAiWire } from './codecs.ts';
import {
  dialectIds,
  inPieces,
  models,
  overTheNetwork,
  readStream,
  contextOf,
  usageFormats,
  wires,
} from './testing/bridge.ts';
import { nextRequest } from './testing/history.ts';

const SIGNATURE = 'EqQBCkYIARgCKkDsigned==';
const call = { id: 'call_1', name: 'weather' };

/** Vendors' actual replies: a call after signed reasoning, and its place in the next request. */
const vendors: [WireId, answer: Json, back: (body: Json) => unknown, expected: unknown][] = [
  [
    'anthropic',
    {
      type: 'message',
      stop_reason: 'tool_use',
      content: [
        { type: 'thinking', thinking: 'Deep.', signature: SIGNATURE },
        { type: 'redacted_thinking', data: 'hidden==' },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', input: {}, ...call },
      ],
    },
    (body) => (body['messages'] as Json[])[1]!['content'],
    [
      { type: 'thinking', thinking: 'Deep.', signature: SIGNATURE },
      { type: 'redacted_thinking', data: 'hidden==' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', input: {}, ...call },
    ],
  ],
  [
    'gemini',
    {
      candidates: [
        {
          finishReason: 'STOP',
          content: {
            role: 'model',
            parts: [
              { text: 'A summary.', thought: true },
              { functionCall: { args: {}, ...call }, thoughtSignature: SIGNATURE },
            ],
          },
        },
      ],
    },
    (body) => (body['contents'] as Json[])[1]!['parts'],
    [{ functionCall: { args: {}, ...call }, thoughtSignature: SIGNATURE }],
  ],
  [
    'responses',
    {
      status: 'completed',
      output: [
        {
          type: 'reasoning',
          id: 'rs_7',
          summary: [{ type: 'summary_text', text: 'Deep.' }],
          encrypted_content: SIGNATURE,
        },
        { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'weather', arguments: '{}' },
      ],
    },
    (body) => (body['input'] as Json[]).slice(1, 3),
    [
      {
        type: 'reasoning',
        id: 'rs_7',
        summary: [{ type: 'summary_text', text: 'Deep.' }],
        encrypted_content: SIGNATURE,
      },
      { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{}' },
    ],
  ],
  [
    'openai',
    {
      choices: [
        {
          finish_reason: 'tool_calls',
          message: {
            content: null,
            reasoning: 'Deep.',
            reasoning_details: [
              { type: 'reasoning.text', text: 'Deep.', signature: SIGNATURE, format: 'anthropic-claude-v1', index: 0 },
            ],
            tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } }],
          },
        },
      ],
    },
    (body) => (body['messages'] as Json[])[1]!['reasoning_details'],
    [{ type: 'reasoning.text', text: 'Deep.', signature: SIGNATURE, format: 'anthropic-claude-v1', index: 0 }],
  ],
];

const readAnswer = (wire: WireId, answer: Json): ChatReply =>
  wires[wire].readReply(answer, { usage: usageFormats[wire] });

const told = contextOf(dialects.openai.readRequest({ model: 'm', messages: [{ role: 'user', content: 'x' }] }));

/** The body of the caller's next request. */
function written(wire: WireId, request: ChatRequest): Json {
  const body =
    wire === 'openai'
      ? openAiWire.writeRequest(request, { model: models[wire], reasoningAs: 'reasoning_details' })
      : wires[wire].writeRequest(request, { model: models[wire] });
  return overTheNetwork(body);
}

const pairs = vendors.flatMap((vendor) => dialectIds.map((id): [DialectId, ...typeof vendor] => [id, ...vendor]));

test.each(pairs)('a caller of %s gives %s back what it signed', (dialect, wire, answer, back, expected) => {
  const reply = overTheNetwork(dialects[dialect].writeReply(readAnswer(wire, answer), told));
  const request = dialects[dialect].readRequest(nextRequest[dialect](reply), { model: 'm' });
  expect(back(written(wire, request))).toEqual(expected);
});

test.each(pairs)('a streamed answer tells a caller of %s all that %s signed', (dialect, wire, answer) => {
  const reply = readAnswer(wire, answer);
  const writer = dialects[dialect].streamWriter(told);
  const stream =
    eventsOf(reply)
      .map((event) => writer.event(event))
      .join('') + writer.end();
  const collector = new ChatCollector();
  for (const event of readStream(dialect, inPieces(stream))) collector.add(event);
  // The reply as the caller assembles it from a stream.
  const again = overTheNetwork(dialects[dialect].writeReply(collector.reply(), told));
  expect(JSON.stringify(again)).toContain(dialect === 'gemini' && wire !== 'gemini' ? 'thoughtSignature' : SIGNATURE);
});

describe.each(vendors)('what %s signed', (wire, answer) => {
  test.each(Object.keys(wires) as WireId[])('goes to no other vendor: %s', (other) => {
    if (other === wire || wire === 'openai') return;
    for (const dialect of dialectIds) {
      const reply = overTheNetwork(dialects[dialect].writeReply(readAnswer(wire, answer), told));
      const request = dialects[dialect].readRequest(nextRequest[dialect](reply), { model: 'm' });
      expect(JSON.stringify(wires[other].writeRequest(request, { model: models[other] }))).not.toMatch(/signed==|EqQB/);
    }
  });
});
