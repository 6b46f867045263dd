import { noUsage } from '@relay-hub/contract';
import { describe, expect, test } from 'vitest';
import type { Json } from '#json.ts';
import type { ChatReply, ChatFault, Part } from './chat.ts';
import { ChatCollector, eventsOf } from './chat-events.ts';
import { BadReply } from './chat-errors.ts';
import type { WireId } from './codec.ts';
import { dialects } from './codecs.ts';
import { contextOf, usageFormats, wireIds, wires } from './testing/bridge.ts';

const read = (wire: WireId, json: unknown): ChatReply => wires[wire].readReply(json, { usage: usageFormats[wire] });

function faultOf(wire: WireId, json: unknown): ChatFault | undefined {
  try {
    read(wire, json);
  } catch (error) {
    if (error instanceof BadReply) return error.fault;
    throw error;
  }
}

const openAi = (message: Json, more: Json = {}): Json => ({
  choices: [{ index: 0, message, finish_reason: 'stop', ...more }],
});
const gemini = (parts: Json[], more: Json = {}): Json => ({
  candidates: [{ content: { parts }, finishReason: 'STOP', ...more }],
});
const text = (said: string): Part => ({ type: 'text', text: said });

const rows: [what: string, WireId, json: Json, expected: Partial<ChatReply>][] = [
  [
    'OpenAI, with usage',
    'openai',
    { id: 'c', model: 'm', ...openAi({ content: 'A' }), usage: { prompt_tokens: 3, completion_tokens: 0 } },
    { id: 'c', model: 'm', parts: [text('A')], finish: 'stop', usage: { ...noUsage, input: 3 } },
  ],
  ['no usage is none', 'openai', openAi({ content: 'A' }), { usage: undefined }],
  [
    'an old function call',
    'openai',
    openAi({ content: null, function_call: { name: 'f', arguments: '{}' } }, { finish_reason: 'function_call' }),
    { finish: 'tool_calls' },
  ],
  [
    'calls that end with stop',
    'openai',
    openAi({ tool_calls: [{ id: 'a', function: { name: 'f', arguments: { x: 1 } } }] }),
    {
      parts: [{ type: 'tool_call', id: 'a', name: 'f', arguments: '{"x":1}', signature: undefined }],
      finish: 'tool_calls',
    },
  ],
  [
    'Mistral’s lists',
    'openai',
    openAi({
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] },
        { type: 'text', text: 'A' },
      ],
    }),
    { parts: [{ type: 'thinking', text: 'Hm' }, text('A')] },
  ],
  [
    'DeepSeek’s reasoning',
    'openai',
    openAi({ reasoning_content: 'Hm', content: 'A' }),
    { parts: [{ type: 'thinking', text: 'Hm' }, text('A')] },
  ],
  [
    'a picture',
    'openai',
    openAi({ content: '', images: [{ image_url: { url: 'data:image/png;base64,iVBO' } }] }),
    { parts: [{ type: 'image', source: { mime: 'image/png', base64: 'iVBO' } }] },
  ],
  ['no reason to finish', 'openai', openAi({ content: 'A' }, { finish_reason: null }), { finish: 'stop' }],
  ['Anthropic, a refusal', 'anthropic', { content: [], stop_reason: 'refusal' }, { parts: [], finish: 'refusal' }],
  [
    'Anthropic, a stop sequence',
    'anthropic',
    { content: [{ type: 'text', text: 'A' }], stop_reason: 'stop_sequence', stop_sequence: 'END' },
    { finish: 'stop_sequence', stopSequence: 'END' },
  ],
  ['Gemini, a call', 'gemini', gemini([{ functionCall: { name: 'f', args: { x: 1 } } }]), { finish: 'tool_calls' }],
  [
    'Gemini, a candidate without content',
    'gemini',
    { candidates: [{ finishReason: 'SAFETY' }] },
    { parts: [], finish: 'content_filter' },
  ],
  [
    'Responses, cut at the limit',
    'responses',
    { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, output: [] },
    { parts: [], finish: 'length' },
  ],
];

test.each(rows)('%s', (_, wire, json, expected) => {
  expect(read(wire, json)).toMatchObject(expected);
});

describe.each(wireIds)('an answer of %s that is none', (wire) => {
  test.each<[string, unknown, Partial<ChatFault>]>([
    ['no object', 'x', { code: 'bad_reply' }],
    ['null', null, { code: 'bad_reply' }],
    ['an object of something else', { ok: true }, { code: 'bad_reply' }],
    [
      'an error',
      { error: { message: 'Out of credit.', type: 'billing_error' } },
      { code: 'error_in_reply', message: 'Out of credit.', status: 402 },
    ],
    [
      'an error in Anthropic’s shape',
      { type: 'error', error: { type: 'overloaded_error', message: 'Busy.' } },
      { code: 'error_in_reply', message: 'Busy.', status: 529 },
    ],
    [
      'an error in a list',
      [{ error: { code: 429, message: 'Slow.', status: 'RESOURCE_EXHAUSTED' } }],
      { code: 'error_in_reply', message: 'Slow.', status: 429, vendorType: 'RESOURCE_EXHAUSTED' },
    ],
    ['an error that is a text', { error: 'gone' }, { code: 'error_in_reply', message: 'gone' }],
  ])('%s', (_, json, fault) => {
    expect(faultOf(wire, json)).toMatchObject(fault);
  });
});

test.each<[string, WireId, Json, Partial<ChatFault>]>([
  [
    'an end that is an error',
    'openai',
    openAi({ content: 'A' }, { finish_reason: 'network_error' }),
    { code: 'error_in_reply', message: 'network_error' },
  ],
  [
    'a call that cannot be read',
    'gemini',
    gemini([], { finishReason: 'MALFORMED_FUNCTION_CALL' }),
    { code: 'error_in_reply', message: 'MALFORMED_FUNCTION_CALL' },
  ],
  [
    'a signature that is missing',
    'gemini',
    gemini([], { finishReason: 'MISSING_THOUGHT_SIGNATURE' }),
    { code: 'error_in_reply', message: 'MISSING_THOUGHT_SIGNATURE' },
  ],
  [
    'a response that failed',
    'responses',
    { status: 'failed', output: [], error: { code: 'server_error', message: 'Oops.' } },
    { code: 'error_in_reply', message: 'Oops.', status: 500 },
  ],
])('%s is no answer', (_, wire, json, fault) => {
  expect(faultOf(wire, json)).toMatchObject(fault);
});

test('an answer as a stream is the same answer', () => {
  const reply: ChatReply = {
    id: 'x',
    model: 'm',
    parts: [
      { type: 'thinking', text: 'Hm', signature: { kind: 'anthropic', value: 'S' } },
      { type: 'thinking', text: '', signature: { kind: 'anthropic-redacted', value: 'H' } },
      text('A'),
      { type: 'refusal', text: 'No.' },
      { type: 'image', source: { mime: 'image/png', base64: 'iVBO' } },
      { type: 'tool_call', id: 'a', name: 'f', arguments: '{}', signature: undefined },
      { type: 'tool_call', id: 'b', name: 'g', arguments: '', signature: { kind: 'gemini', value: 'S' } },
    ],
    finish: 'stop_sequence',
    stopSequence: 'END',
    usage: noUsage,
  };
  const collector = new ChatCollector();
  for (const event of eventsOf(reply)) collector.add(event);
  expect(collector.reply()).toEqual(reply);
});

const tools = [{ type: 'function', name: 'f' }];
const jsonSchema = { type: 'json_schema', name: 'n', schema: { type: 'object' } };
const allowed = { type: 'allowed_tools', tools };

test.each<[asked: Json, members: Json]>([
  [
    { temperature: null, service_tier: null, metadata: null },
    {
      presence_penalty: 0,
      frequency_penalty: 0,
      top_logprobs: 0,
      service_tier: 'default',
      safety_identifier: null,
      prompt_cache_key: null,
      max_tool_calls: null,
      metadata: {},
      temperature: 1,
      top_p: 1,
      reasoning: { effort: null, summary: null },
      text: { format: { type: 'text' } },
    },
  ],
  [{ tools }, { tools: [{ ...tools[0], description: null, parameters: null, strict: false }] }],
  [{ tools, tool_choice: allowed }, { tool_choice: { ...allowed, mode: 'auto' } }],
  [{ tools, tool_choice: tools[0] }, { tool_choice: tools[0] }],
  [{ tools, tool_choice: 'required' }, { tool_choice: 'required' }],
  [{ reasoning: { effort: 'low' } }, { reasoning: { effort: 'low', summary: null } }],
  [{ reasoning: { effort: null, summary: 'auto' } }, { reasoning: { effort: null, summary: 'auto' } }],
  [{ text: { verbosity: 'low' } }, { text: { verbosity: 'low', format: { type: 'text' } } }],
  [{ text: { verbosity: null, format: null } }, { text: { format: { type: 'text' } } }],
  [{ text: { format: jsonSchema } }, { text: { format: { ...jsonSchema, description: null, strict: false } } }],
  [
    { text: { format: { ...jsonSchema, description: 'd', strict: true } } },
    { text: { format: { ...jsonSchema, description: 'd', strict: true } } },
  ],
])('a response to %j has all members that Open Responses requires', (asked, members) => {
  const context = contextOf(dialects.responses.readRequest({ model: 'm', input: 'hi', ...asked }));
  const reply: ChatReply = { parts: [text('A')], finish: 'stop' };
  const response = dialects.responses.writeReply(reply, context);
  expect(Object.fromEntries(Object.keys(members).map((name) => [name, response[name]]))).toEqual(members);
});

test.each([
  ['No.', 'refusal'],
  ['', 'end_turn'],
])('a refusal of OpenAI’s, %j, ends a message with %s', (said, reason) => {
  const message = said === '' ? { content: 'Yes' } : { content: null, refusal: said };
  const reply = read('openai', openAi(message));
  const context = contextOf(dialects.openai.readRequest({ model: 'm', messages: [{ role: 'user', content: 'hi' }] }));
  expect(dialects.anthropic.writeReply(reply, context)).toMatchObject({ stop_reason: reason });
  const writer = dialects.anthropic.streamWriter(context);
  const stream =
    eventsOf(reply)
      .map((event) => writer.event(event))
      .join('') + writer.end();
  expect(stream).toContain(`"stop_reason":"${reason}"`);
});
