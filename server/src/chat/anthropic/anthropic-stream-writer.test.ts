import { noUsage } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import type { Json } from '#json.ts';
import type { Part } from '../chat.ts';
import { eventsOf } from '../chat-events.ts';
import { contextOf } from '../testing/bridge.ts';
import { neutral, text } from '../testing/neutral-request.ts';
import { AnthropicStreamWriter } from './anthropic-stream-writer.ts';

const usage = {
  ...noUsage,
  input: 6,
  cached: 1,
  cacheRead: 4,
  cacheWrite: 2,
  cacheWrite1h: 1,
  output: 3,
  reasoning: 1,
};

function stream(parts: Part[]): Json[] {
  const writer = new AnthropicStreamWriter(contextOf(neutral(), { requestId: '7', inputTokens: 9 }));
  const events = eventsOf({ parts, finish: 'tool_calls', usage });
  const lines = (events.map((event) => writer.event(event)).join('') + writer.end()).split('\n\n').slice(0, -1);
  return lines.map((line) => {
    const [name, data] = line.split('\n');
    const json = JSON.parse(data!.slice('data: '.length)) as Json;
    expect(name).toBe(`event: ${String(json['type'])}`);
    return json;
  });
}

const open = (index: number, content_block: Json) => ({ type: 'content_block_start', index, content_block });
const delta = (index: number, piece: Json) => ({ type: 'content_block_delta', index, delta: piece });
const close = (index: number) => ({ type: 'content_block_stop', index });

test('a stream as Anthropic sends it', () => {
  const thinking = { type: 'thinking', thinking: '', signature: '' };
  const parts: Part[] = [
    { type: 'thinking', text: 'Hm', signature: { kind: 'anthropic', value: 'SIG' } },
    { type: 'thinking', text: '', signature: { kind: 'anthropic-redacted', value: 'HIDDEN' } },
    text('A'),
    { type: 'tool_call', id: 'a', name: 'f', arguments: '{"x":1}', signature: { kind: 'gemini', value: 'SIG' } },
    { type: 'tool_call', id: 'b', name: 'g', arguments: '' },
  ];
  const [start, ...rest] = stream(parts);
  expect(start).toEqual({
    type: 'message_start',
    message: {
      id: 'msg_7',
      type: 'message',
      role: 'assistant',
      model: 'a-model',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: 9,
        output_tokens: 0,
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: 0,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
      },
    },
  });
  expect(rest).toEqual([
    open(0, thinking),
    { type: 'ping' },
    delta(0, { type: 'thinking_delta', thinking: 'Hm' }),
    delta(0, { type: 'signature_delta', signature: 'SIG' }),
    close(0),
    open(1, { type: 'redacted_thinking', data: 'HIDDEN' }),
    close(1),
    open(2, { type: 'text', text: '' }),
    delta(2, { type: 'text_delta', text: 'A' }),
    close(2),
    open(3, thinking),
    delta(3, { type: 'signature_delta', signature: 'gemini:SIG' }),
    close(3),
    open(4, { type: 'tool_use', id: 'a', name: 'f', input: {} }),
    delta(4, { type: 'input_json_delta', partial_json: '{"x":1}' }),
    close(4),
    open(5, { type: 'tool_use', id: 'b', name: 'g', input: {} }),
    close(5),
    {
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: {
        input_tokens: 6,
        cache_creation_input_tokens: 3,
        cache_read_input_tokens: 5,
        cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 1 },
        output_tokens: 4,
        output_tokens_details: { thinking_tokens: 1 },
      },
    },
    { type: 'message_stop' },
  ]);
});
