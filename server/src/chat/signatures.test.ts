import { describe, expect, test } from 'vitest';
import type { Json } from '#json.ts';
import type { ChatEvent, ChatReply, ChatRequest, Part } from './chat.ts';
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
import { assistant, neutral, user } from './testing/neutral-request.ts';

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

/** A reply of a vendor of Chat Completions whose model reasoned in this field before a call. */
const reasoned = (field: 'reasoning_content' | 'reasoning' | 'content'): Json => {
  const thinking =
    field === 'content' ? [{ type: 'thinking', thinking: [{ type: 'text', text: 'Deep.' }] }] : ('Deep.' as unknown);
  const tool_calls = [{ ...call, type: 'function', function: { name: 'weather', arguments: '{}' } }];
  return { choices: [{ finish_reason: 'tool_calls', message: { content: null, [field]: thinking, tool_calls } }] };
};

const fields = ['reasoning_content', 'reasoning', 'content'] as const;
const fieldsOf = (message: Json): Json => ({
  reasoning_content: message['reasoning_content'],
  reasoning: message['reasoning'],
  content: message['content'],
});

describe.each(fields)('reasoning that came in %s', (field) => {
  /** The reasoning that the vendor gets back when the caller sends an answer again, whole or streamed. */
  function returned(dialect: DialectId, model: string, streamed: boolean): Json {
    const { message } = (reasoned(field)['choices'] as Json[])[0] as { message: Json };
    const chunk = { choices: [{ index: 0, delta: message, finish_reason: 'tool_calls' }] };
    const read = streamed
      ? collected(readStream('openai', inPieces(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)))
      : readAnswer('openai', reasoned(field));
    const reply = overTheNetwork(dialects[dialect].writeReply(read, told));
    const request = dialects[dialect].readRequest(nextRequest[dialect](reply), { model: 'm' });
    const body = overTheNetwork(openAiWire.writeRequest(request, { model }));
    return fieldsOf((body['messages'] as Json[])[1]!);
  }

  const back = field === 'content' ? reasoned(field) : undefined;
  const pieces = ((back?.['choices'] as Json[] | undefined)?.[0]?.['message'] as Json | undefined)?.['content'];
  const expected = { content: null, [field]: pieces ?? 'Deep.' };
  // Chat Completions have two separate fields; there, pieces become `reasoning_content`.
  const callers = dialectIds.filter((dialect) => field !== 'content' || dialect !== 'openai');

  test.each(callers)('goes back in it from callers of %s', (dialect) => {
    // A caller of Chat Completions reads one field, whatever it was.
    const own = dialect === 'openai' ? { content: null, reasoning_content: 'Deep.' } : expected;
    expect(returned(dialect, 'kimi-k2.6', false)).toEqual(own);
    expect(returned(dialect, 'kimi-k2.6', true)).toEqual(own);
  });

  test.each(dialectIds)('is not sent to a model of OpenAI from callers of %s', (dialect) => {
    expect(returned(dialect, 'gpt-5.1', false)).toEqual({ content: null });
  });
});

function collected(events: readonly ChatEvent[]): ChatReply {
  const collector = new ChatCollector();
  for (const event of events) collector.add(event);
  return collector.reply();
}

test.each<[string, Json]>([
  ['kimi-k2.6', { content: null, reasoning_content: '' }],
  ['deepseek-ai/DeepSeek-V4', { content: null, reasoning_content: '' }],
  ['qwen3.5-plus', { content: null }],
  ['gpt-5.1', { content: null }],
])('a call without reasoning gets the field empty where %s demands it', (model, expected) => {
  const signature = { kind: 'anthropic' as const, value: SIGNATURE };
  const answer = assistant({ type: 'thinking', text: 'Deep.', signature }, needed);
  const body = overTheNetwork(openAiWire.writeRequest(neutral({ messages: [user('x'), answer] }), { model }));
  expect(fieldsOf((body['messages'] as Json[])[1]!)).toEqual(expected);
});

const needed: Part = { type: 'tool_call', id: 'call_1', name: 'weather', arguments: '{}' };
