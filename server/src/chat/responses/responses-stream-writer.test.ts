import { noUsage } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import type { Json } from '#json.ts';
import type { ChatRequest, Part } from '../chat.ts';
import { eventsOf } from '../chat-events.ts';
import { contextOf } from '../testing/bridge.ts';
import { neutral, text } from '../testing/neutral-request.ts';
import { ResponsesStreamWriter } from './responses-stream-writer.ts';
import { writeResponsesReply } from './write-responses-reply.ts';

const told = (request: Partial<ChatRequest> = {}) => contextOf(neutral(request), { requestId: '7', created: 1 });
const usage = { ...noUsage, input: 6, cacheRead: 4, output: 3, reasoning: 1 };

/** The events of a streamed reply. */
function stream(parts: Part[], request: Partial<ChatRequest> = {}): Json[] {
  const writer = new ResponsesStreamWriter(told(request));
  const events = eventsOf({ parts, finish: 'stop', usage });
  const lines = (events.map((event) => writer.event(event)).join('') + writer.end()).split('\n\n').slice(0, -1);
  return lines.map((line) => {
    const [name, data] = line.split('\n');
    const json = JSON.parse(data!.slice('data: '.length)) as Json;
    expect(name).toBe(`event: ${String(json['type'])}`);
    return json;
  });
}

/** The item events, without response envelopes and sequence numbers. */
const ofItems = (events: Json[]) =>
  events.slice(2, -1).map(({ type, ...fields }) => {
    delete fields['sequence_number'];
    return [String(type).replace('response.', ''), fields];
  });

test('events are numbered, and the last one repeats the answer', () => {
  const events = stream([text('A')]);
  expect(events.map((event) => event['sequence_number'])).toEqual(events.map((_, i) => i));
  expect(events.slice(0, 2).map(({ type }) => type)).toEqual(['response.created', 'response.in_progress']);
  const whole = writeResponsesReply({ parts: [text('A')], finish: 'stop', usage }, told());
  expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: whole });
  // Clients that check the form of a response check it in every event.
  const [{ response: first } = {}] = events;
  expect(Object.keys(first as Json).toSorted()).toEqual(Object.keys(whole).toSorted());
  expect(whole).toMatchObject({
    id: 'resp_7',
    object: 'response',
    created_at: 1,
    completed_at: 1,
    status: 'completed',
    usage: {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 },
      output_tokens: 4,
      output_tokens_details: { reasoning_tokens: 1 },
      total_tokens: 14,
    },
  });
});

test('a text and a refusal are two parts of one message', () => {
  const said = { type: 'output_text', text: 'A', annotations: [], logprobs: [] };
  const refused = { type: 'refusal', refusal: 'No.' };
  const item = { id: 'msg_70', type: 'message', role: 'assistant' };
  const at = (content_index: number) => ({ output_index: 0, item_id: 'msg_70', content_index });
  expect(ofItems(stream([text('A'), { type: 'refusal', text: 'No.' }]))).toEqual([
    ['output_item.added', { output_index: 0, item: { ...item, status: 'in_progress', content: [] } }],
    ['content_part.added', { ...at(0), part: { ...said, text: '' } }],
    ['output_text.delta', { ...at(0), delta: 'A', logprobs: [] }],
    ['output_text.done', { ...at(0), text: 'A', logprobs: [] }],
    ['content_part.done', { ...at(0), part: said }],
    ['content_part.added', { ...at(1), part: { ...refused, refusal: '' } }],
    ['refusal.delta', { ...at(1), delta: 'No.' }],
    ['refusal.done', { ...at(1), refusal: 'No.' }],
    ['content_part.done', { ...at(1), part: refused }],
    ['output_item.done', { output_index: 0, item: { ...item, status: 'completed', content: [said, refused] } }],
  ]);
});

test('reasoning, then a call without arguments', () => {
  const summary = { type: 'summary_text', text: 'Hm' };
  const reasoning = { id: 'rs_70', type: 'reasoning' };
  const at = { output_index: 0, item_id: 'rs_70', summary_index: 0 };
  const call = { id: 'fc_71', type: 'function_call', call_id: 'a', name: 'f' };
  const signature = { kind: 'anthropic' as const, value: 'SIG' };
  const parts: Part[] = [
    { type: 'thinking', text: 'Hm', signature },
    { type: 'tool_call', id: 'a', name: 'f', arguments: '' },
  ];
  const whole = { ...reasoning, summary: [summary], encrypted_content: 'anthropic:SIG' };
  expect(ofItems(stream(parts))).toEqual([
    ['output_item.added', { output_index: 0, item: { ...reasoning, summary: [] } }],
    ['reasoning_summary_part.added', { ...at, part: { ...summary, text: '' } }],
    ['reasoning_summary_text.delta', { ...at, delta: 'Hm' }],
    ['reasoning_summary_text.done', { ...at, text: 'Hm' }],
    ['reasoning_summary_part.done', { ...at, part: summary }],
    ['output_item.done', { output_index: 0, item: whole }],
    ['output_item.added', { output_index: 1, item: { ...call, status: 'in_progress', arguments: '' } }],
    ['function_call_arguments.delta', { output_index: 1, item_id: 'fc_71', delta: '{}' }],
    ['function_call_arguments.done', { output_index: 1, item_id: 'fc_71', name: 'f', arguments: '{}' }],
    ['output_item.done', { output_index: 1, item: { ...call, status: 'completed', arguments: '{}' } }],
  ]);
});

test('a call of a custom tool, and a picture', () => {
  const custom = { id: 'ctc_70', type: 'custom_tool_call', call_id: 'a', name: 'f' };
  const picture = { id: 'ig_71', type: 'image_generation_call' };
  const parts: Part[] = [
    { type: 'tool_call', id: 'a', name: 'f', arguments: '{"input":"x\\ny"}' },
    { type: 'image', source: { mime: 'image/png', base64: 'iVBO' } },
  ];
  expect(ofItems(stream(parts, { tools: [{ name: 'f', custom: true }] }))).toEqual([
    ['output_item.added', { output_index: 0, item: { ...custom, status: 'in_progress', input: '' } }],
    ['custom_tool_call_input.delta', { output_index: 0, item_id: 'ctc_70', delta: 'x\ny' }],
    ['custom_tool_call_input.done', { output_index: 0, item_id: 'ctc_70', input: 'x\ny' }],
    ['output_item.done', { output_index: 0, item: { ...custom, status: 'completed', input: 'x\ny' } }],
    ['output_item.added', { output_index: 1, item: { ...picture, status: 'in_progress', result: null } }],
    ['output_item.done', { output_index: 1, item: { ...picture, status: 'completed', result: 'iVBO' } }],
  ]);
});

test.each([
  ['length', 'max_output_tokens'],
  ['content_filter', 'content_filter'],
  ['refusal', 'content_filter'],
] as const)('an answer that ended with %s is incomplete', (finish, reason) => {
  const writer = new ResponsesStreamWriter(told());
  for (const event of eventsOf({ parts: [], finish })) writer.event(event);
  const end = writer.end();
  expect(end).toContain('event: response.incomplete');
  expect(end).toContain(`"incomplete_details":{"reason":"${reason}"}`);
});
