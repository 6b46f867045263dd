import { performance } from 'node:perf_hooks';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ChatEvent } from '#chat/chat.ts';
import type { WireId } from '#chat/codec.ts';
import { dialects } from '#chat/codecs.ts';
import { contextOf, dialectIds, usageFormats, vendorStream, wires } from '#chat/testing/bridge.ts';
import { SseEvents } from '#chat/sse-events.ts';
import { provider as anthropic } from '#providers/adapters/anthropic.ts';
import { provider as custom } from '#providers/adapters/custom.ts';
import { provider as gemini } from '#providers/adapters/gemini.ts';
import { readChat } from '#relay/dialects/caller-dialect.ts';
import type { Json } from '#json.ts';
import { FallbackWorld, randomFrom, type Reaction, type StreamedChat } from '#testing/fallback-world.ts';
import { OpenAiStreamTap } from './sse-tap.ts';
import { PassingTap } from './stream-tap.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: 1_800_000_000_000 });
  const began = Date.now();
  vi.spyOn(performance, 'now').mockImplementation(() => Date.now() - began);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const messages = [{ role: 'user', content: 'hi' }];
const queries: Record<WireId, StreamedChat> = {
  openai: { dialect: 'openai', body: { model: 'm', stream: true, messages } },
  responses: { dialect: 'responses', body: { model: 'm', stream: true, input: 'hi' } },
  anthropic: { dialect: 'anthropic', body: { model: 'm', stream: true, max_tokens: 99, messages } },
  gemini: { dialect: 'gemini', body: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] } },
};
const providers = { custom, anthropic, gemini };
const kinds = Object.keys(providers) as (keyof typeof providers)[];

/** The wire that a channel is asked in. */
const wireAt = (path: string): WireId =>
  path.includes('/responses')
    ? 'responses'
    : path.includes('/messages')
      ? 'anthropic'
      : path.includes('/models/')
        ? 'gemini'
        : 'openai';

const request = readChat('openai', queries.openai.body, {}).chat!();
const answer: ChatEvent[] = [
  { type: 'start', id: 'second', model: 'm' },
  { type: 'text', text: 'Hello ' },
  { type: 'text', text: 'there' },
  { type: 'finish', reason: 'stop' },
];
const answered = (path: string): Reaction => ({
  kind: 'stream',
  ms: 200,
  pieces: [vendorStream(wireAt(path), answer, request)],
  ends: 'wholly',
});

/** Events that vendors send before any content. */
const preambles: Record<WireId, string[]> = {
  openai: [
    ': PROCESSING\n\n',
    'data: {"id":"first","choices":[],"prompt_filter_results":[]}\n\n',
    'data: {"id":"first","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\n',
    'data: {"id":"first","choices":[{"index":0,"delta":{"role":"assistant","content":null,"reasoning_content":"","tool_calls":[]}}],"usage":null}\n\n',
  ],
  responses: [
    ...['created', 'queued', 'in_progress'].map(
      (name, at) =>
        `event: response.${name}\ndata: {"type":"response.${name}","sequence_number":${at},"response":{"id":"first","status":"in_progress","output":[]}}\n\n`,
    ),
    'event: keepalive\ndata: {"type":"keepalive","sequence_number":3}\n\n',
    'event: response.output_item.added\ndata: {"type":"response.output_item.added","sequence_number":4,"output_index":0,"item":{"id":"first","type":"message","content":[]}}\n\n',
    'event: response.content_part.added\ndata: {"type":"response.content_part.added","sequence_number":5,"part":{"type":"output_text","text":""}}\n\n',
  ],
  anthropic: [
    'event: message_start\ndata: {"type":"message_start","message":{"id":"first","role":"assistant","content":[],"usage":{"input_tokens":9,"output_tokens":1}}}\n\n',
    'event: ping\ndata: {"type":"ping"}\n\n',
    'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n',
  ],
  gemini: [
    'data: {"responseId":"first","usageMetadata":{"promptTokenCount":9}}\r\n\r\n',
    'data: {"responseId":"first","candidates":[{"index":0,"content":{"role":"model","parts":[{"text":""}]}}]}\r\n\r\n',
  ],
};

const overloads: Record<WireId, string> = {
  openai: 'data: {"error":{"message":"Overloaded","type":"server_error","code":null}}\n\n',
  responses:
    'event: response.failed\ndata: {"type":"response.failed","sequence_number":7,"response":{"id":"first","status":"failed","error":{"code":"server_error","message":"Overloaded"}}}\n\n',
  anthropic: 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
  gemini: 'data: {"error":{"code":503,"message":"Overloaded","status":"UNAVAILABLE"}}\r\n\r\n',
};

type Failure = (wire: WireId) => Reaction;
const failing = (ends: 'wholly' | 'broken' | 'never', more: Partial<Record<WireId, string>> = {}): Failure => {
  return (wire) => ({ kind: 'stream', ms: 50, pieces: [...preambles[wire], more[wire] ?? ''], ends });
};
const failures: Record<string, Failure> = {
  'an overload': failing('wholly', overloads),
  silence: failing('never'),
  'a broken connection': failing('broken'),
  'an end without an end marker': failing('wholly'),
};

const outcome = /(?:"delta"|"content"|"text"): ?"(?:Hello )?(?:there)?"/;

describe.each(dialectIds)('a stream for a caller of %s', (dialect) => {
  const pairs = kinds.flatMap((kind) => Object.keys(failures).map((failure) => [failure, kind] as const));

  test.each(pairs)('that meets %s before any content from %s comes from another channel', async (failure, kind) => {
    const provider = providers[kind];
    const world = new FallbackWorld([
      {
        id: 1,
        priority: 9,
        host: 'a',
        provider,
        firstTokenMs: 3_000,
        react: (_now, _user, path) => failures[failure]!(wireAt(path)),
      },
      { id: 2, priority: 1, host: 'b', provider, firstTokenMs: 3_000, react: (_now, _user, path) => answered(path) },
    ]);
    world.begin(1, queries[dialect]);
    const [end] = await world.ended();
    expect(end).toMatchObject({ status: 200, attempts: [{ channel_id: 1, next: 'retried' }, { result: 'ok' }] });
    expect(end!.text).toMatch(outcome);
    expect(end!.text).not.toContain('first');
    // Time to the first token is the time to content.
    expect(end!.firstMs).toBe(end!.attempts[1]!.start + 200);
  });

  test('always succeeds while another channel is healthy, whatever the others do before their content', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const random = randomFrom(seed);
      vi.spyOn(Math, 'random').mockImplementation(random);
      const draw = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
      const channels = Array.from({ length: 4 }, (_, i) => {
        const fails = i < 2 ? draw(Object.values(failures)) : undefined;
        return {
          id: i + 1,
          priority: draw([1, 9]),
          host: `h${i}`,
          provider: providers[draw(kinds)],
          firstTokenMs: 1_000,
          react: (_now: number, _user: number, path: string) =>
            fails && random() < 0.8 ? fails(wireAt(path)) : answered(path),
        };
      });
      const world = new FallbackWorld(channels);
      for (let i = 0; i < 30; i++) {
        world.begin(1 + (i % 3), queries[dialect]);
        await world.advance(Math.ceil(random() * 1_000));
      }
      const lost = (await world.ended()).filter(({ status, text }) => status !== 200 || !outcome.test(text));
      expect(lost, `seed ${seed}`).toEqual([]);
    }
  });
});

test('a refusal of the request before any content is told, and no other channel is asked', async () => {
  const refusal =
    'event: response.failed\ndata: {"type":"response.failed","sequence_number":6,"response":{"id":"first","status":"failed","error":{"code":"context_length_exceeded","message":"Too long"}}}\n\n';
  const pieces = [...preambles.responses, refusal];
  const world = new FallbackWorld(
    [1, 2].map((id) => ({
      id,
      priority: 1,
      host: `${id}`,
      react: () => ({ kind: 'stream', ms: 9, pieces, ends: 'wholly' }),
    })),
  );
  world.begin(1, queries.responses);
  expect(await world.ended()).toMatchObject([{ status: 400, attempts: [{ cause: 'request', next: 'not_retryable' }] }]);
});

describe('content begins', () => {
  const begun = (type: string, members: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
  const chunk = (delta: object) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;
  const firsts: [WireId, string, string][] = [
    ['openai', 'a text', chunk({ content: 'H' })],
    ['openai', 'reasoning', chunk({ reasoning: 'H' })],
    ['openai', 'a call', chunk({ tool_calls: [{ index: 0, id: 'c' }] })],
    ['openai', 'a picture', chunk({ images: [{}] })],
    ['openai', 'sound', chunk({ audio: { id: 'a' } })],
    ['openai', 'its end', 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'],
    ['responses', 'reasoning', begun('response.output_item.added', { item: { type: 'reasoning' } })],
    ['responses', 'a hosted tool', begun('response.web_search_call.in_progress', {})],
    ['responses', 'a text', begun('response.output_text.delta', { delta: 'H' })],
    ['responses', 'arguments', begun('response.custom_tool_call_input.delta', { delta: 'H' })],
    ['anthropic', 'thinking', begun('content_block_start', { index: 0, content_block: { type: 'thinking' } })],
    ['anthropic', 'a hosted tool', begun('content_block_start', { content_block: { type: 'server_tool_use' } })],
    ['anthropic', 'its end', begun('message_delta', { delta: { stop_reason: 'end_turn' } })],
    ['gemini', 'code', 'data: {"candidates":[{"content":{"parts":[{"executableCode":{"code":"1"}}]}}]}\n\n'],
    ['gemini', 'a signature', 'data: {"candidates":[{"content":{"parts":[{"text":"","thoughtSignature":"s"}]}}]}\n\n'],
  ];
  test.each(firsts)('%s: with %s', (wire, _, first) => {
    const usage = usageFormats[wire];
    const tap =
      wire === 'openai'
        ? new OpenAiStreamTap(true, usage)
        : new PassingTap(wires[wire].streamReader({ usage }), undefined, undefined);
    const begin = wire === 'anthropic' ? preambles[wire].slice(0, 2) : preambles[wire];
    for (const piece of begin) tap.push(Buffer.from(piece));
    expect(tap.hasContent).toBe(false);
    tap.push(Buffer.from(first));
    expect(tap.hasContent).toBe(true);
  });
});

test.each([
  ['a failure', overloads.responses.replace('Overloaded', 'Key sk-abc refused, ask http://10.0.0.1/'), 'server_error'],
  [
    'an error',
    'event: error\ndata: {"type":"error","code":"server_error","message":"no","sequence_number":6}\n\n',
    'server_error',
  ],
  ['a limit', overloads.responses.replace('server_error', 'rate_limit_exceeded'), 'rate_limit_exceeded'],
  ['a cut', '', 'server_error'],
])('a stream of Responses that meets %s ends as failed, with the next numbers', async (_, end, code) => {
  const delta =
    'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","sequence_number":6,"delta":"Hel"}\n\n';
  const position = { response: undefined, next: 0 };
  const reader = wires.responses.streamReader({ usage: usageFormats.responses, position });
  const tap = new PassingTap(reader);
  const passed = [...preambles.responses, delta, end].map((piece) => tap.push(Buffer.from(piece))?.toString() ?? '');
  const names = tap.errorNames;
  const writer = dialects.responses.streamWriter({ ...contextOf(request), resumes: position });
  const error = {
    status: 502,
    type: 'upstream_error',
    code: names?.code ?? 'stream_broken',
    message: 'masked',
    param: null,
  };
  const events = new SseEvents()
    .push(Buffer.from(passed.join('') + writer.error(error)))
    .map(({ data }) => JSON.parse(data) as Json);
  expect(events.map(({ sequence_number: number }) => number)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  expect(events.slice(-2)).toMatchObject([
    { type: 'error', code: names?.code ?? 'stream_broken' },
    { type: 'response.failed', response: { id: 'first', status: 'failed', error: { code } } },
  ]);
  expect(JSON.stringify(events)).not.toContain('sk-abc');
});
