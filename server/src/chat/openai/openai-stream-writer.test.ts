import { noUsage } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import type { Json } from '#json.ts';
import type { ChatEvent, ChatReply, ChatRequest } from '../chat.ts';
import { eventsOf } from '../chat-events.ts';
import { contextOf } from '../testing/bridge.ts';
import { neutral } from '../testing/neutral-request.ts';
import { OpenAiStreamWriter } from './openai-stream-writer.ts';
import { writeOpenAiReply } from './write-openai-reply.ts';

const told = (request: Partial<ChatRequest>) => contextOf(neutral(request), { requestId: '7', created: 1 });
const usage = { ...noUsage, input: 6, cacheRead: 4, cacheWrite: 2, output: 3, reasoning: 1 };

function stream(request: Partial<ChatRequest>, events: readonly ChatEvent[]): string[] {
  const writer = new OpenAiStreamWriter(told(request));
  return (events.map((event) => writer.event(event)).join('') + writer.end()).split('\n\n').slice(0, -1);
}

const head = 'data: {"id":"chatcmpl-7","object":"chat.completion.chunk","created":1,"model":"a-model","choices":[';
const delta = (of: string, finish = 'null') => `{"index":0,"delta":${of},"logprobs":null,"finish_reason":${finish}}`;

test('a stream as OpenAI sends it', () => {
  const events = eventsOf({ parts: [{ type: 'text', text: 'A' }], finish: 'stop', usage });
  expect(stream({ stream: true }, events)).toEqual([
    `${head}${delta('{"role":"assistant","content":""}')}]}`,
    `${head}${delta('{"content":"A"}')}]}`,
    `${head}${delta('{}', '"stop"')}]}`,
    'data: [DONE]',
  ]);
});

test('usage is null in every event but the last, and only for those who asked', () => {
  const events = eventsOf({ parts: [{ type: 'text', text: 'A' }], finish: 'length', usage });
  const counters = {
    prompt_tokens: 12,
    completion_tokens: 4,
    total_tokens: 16,
    prompt_tokens_details: { cached_tokens: 4, audio_tokens: 0, cache_write_tokens: 2 },
    completion_tokens_details: {
      reasoning_tokens: 1,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
  expect(stream({ stream: true, includeUsage: true }, events)).toEqual([
    `${head}${delta('{"role":"assistant","content":""}')}],"usage":null}`,
    `${head}${delta('{"content":"A"}')}],"usage":null}`,
    `${head}${delta('{}', '"length"')}],"usage":null}`,
    `${head}],"usage":${JSON.stringify(counters)}}`,
    'data: [DONE]',
  ]);
});

const deltas = (lines: readonly string[]): Json[] =>
  lines.flatMap((line) => {
    if (line === 'data: [DONE]') return [];
    const [choice] = (JSON.parse(line.slice(6)) as { choices: { delta: Json }[] }).choices;
    return choice ? [choice.delta] : [];
  });

const calls: ChatReply = {
  parts: [
    { type: 'tool_call', id: 'a', name: 'f', arguments: '{"input":"x\\ny"}' },
    { type: 'tool_call', id: 'b', name: 'g', arguments: '' },
  ],
  finish: 'tool_calls',
};

test('a custom tool’s input is sent as text, a function’s arguments are always JSON', () => {
  const tools = [{ name: 'f', custom: true }, { name: 'g' }];
  expect(deltas(stream({ tools }, eventsOf(calls))).slice(1, -1)).toEqual([
    { tool_calls: [{ index: 0, id: 'a', type: 'custom', custom: { name: 'f', input: '' } }] },
    { tool_calls: [{ index: 0, custom: { input: 'x\ny' } }] },
    { tool_calls: [{ index: 1, id: 'b', type: 'function', function: { name: 'g', arguments: '' } }] },
    { tool_calls: [{ index: 1, function: { arguments: '{}' } }] },
  ]);
  expect(writeOpenAiReply(calls, told({ tools }))).toMatchObject({
    choices: [
      {
        finish_reason: 'tool_calls',
        message: {
          content: null,
          tool_calls: [
            { id: 'a', type: 'custom', custom: { name: 'f', input: 'x\ny' } },
            { id: 'b', type: 'function', function: { name: 'g', arguments: '{}' } },
          ],
        },
      },
    ],
  });
});

test('who asked with the functions of old is answered with one', () => {
  const request = { legacyFunctions: true, tools: [{ name: 'f' }] };
  const lines = stream(request, eventsOf(calls));
  expect(deltas(lines).slice(1, -1)).toEqual([
    { function_call: { name: 'f', arguments: '' } },
    { function_call: { arguments: '{"input":"x\\ny"}' } },
  ]);
  expect(lines.at(-2)).toContain('"finish_reason":"function_call"');
  expect(writeOpenAiReply(calls, told(request))).toMatchObject({
    choices: [{ finish_reason: 'function_call', message: { function_call: { name: 'f' } } }],
  });
});

test('a picture, and reasoning that is signed', () => {
  const reply: ChatReply = {
    parts: [
      { type: 'thinking', text: 'Hm', signature: { kind: 'anthropic', value: 'S' } },
      { type: 'image', source: { mime: 'image/png', base64: 'iVBO' } },
    ],
    finish: 'stop',
  };
  expect(deltas(stream({}, eventsOf(reply))).slice(1, -1)).toEqual([
    { reasoning_content: 'Hm' },
    {
      reasoning_details: [
        { type: 'reasoning.text', text: 'Hm', signature: 'S', format: 'anthropic-claude-v1', index: 0 },
      ],
    },
    { images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' }, index: 0 }] },
  ]);
});
