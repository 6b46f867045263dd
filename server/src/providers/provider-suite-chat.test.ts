import { describe, expect, test } from 'vitest';
import { listOr, type Json } from '#json.ts';
import { BadChatRequest } from '#chat/chat-errors.ts';
import { ChatCollector } from '#chat/chat-events.ts';
import type { ChatEvent, ChatReply } from '#chat/chat.ts';
import type { StreamReader } from '#chat/codec.ts';
import { changed } from './fixes.ts';
import type { Operation } from './operation.ts';
import type { Provider } from './provider.ts';
import { allProviders } from './registry.ts';
import { operationFor, targetOf } from './target.ts';
import { type ChatFixture, needFixture, patched, streamBytes, type RecordedReply } from './testing/fixtures.ts';
import { callOf, chatCases, usageOf, wireOf } from './testing/operations.ts';
import { called, callers, inOpenAi, answerText, scenarios } from './testing/scenarios.ts';

const cases = allProviders().flatMap((provider) =>
  chatCases(provider).map(({ name, operation, fixture }) => ({
    title: `${provider.id}: ${name}`,
    provider,
    operation,
    fixture,
  })),
);

/** JSON without undefined members. */
const sent = (json: unknown): Json => JSON.parse(JSON.stringify(json)) as Json;

const contentOf = ({ parts }: ChatReply) => ({
  text: parts.map((part) => (part.type === 'text' ? part.text : '')).join(''),
  thinking: parts.map((part) => (part.type === 'thinking' ? part.text : '')).join(''),
  calls: parts.flatMap((part) =>
    part.type === 'tool_call' ? [{ name: part.name, args: JSON.parse(part.arguments) as unknown }] : [],
  ),
});

function expectAnswer(reply: ChatReply, { usage, thinking = '' }: RecordedReply): void {
  expect(contentOf(reply)).toEqual({ text: answerText, thinking, calls: [] });
  expect(reply.finish).toBe('stop');
  expect(reply.usage).toEqual(usageOf(usage));
}

function expectCalls(reply: ChatReply, { usage, thinking = '' }: RecordedReply): void {
  expect(contentOf(reply)).toMatchObject({ thinking, calls: called });
  expect(reply.finish).toBe('tool_calls');
  expect(reply.usage).toEqual(usageOf(usage));
  const ids = reply.parts.flatMap((part) => (part.type === 'tool_call' ? [part.id] : []));
  expect(new Set(ids.filter(Boolean)).size).toBe(called.length);
}

describe.each(cases)('$title', ({ provider, operation, fixture }) => {
  const channel = needFixture<'channel'>(provider.id, 'channel');
  const asked = callOf(provider, channel, { model: fixture.model });
  const readerOf = (): StreamReader => streamReader(operation);
  const fixed = (body: Json): Json => changed(body, operation.fix?.(body, asked) ?? {});

  test('is chosen, and goes where it has to', () => {
    const { dialect } = operation;
    expect(operationFor(provider.chat, asked, dialect === 'own' ? undefined : dialect)).toBe(operation);
    const whole = targetOf(provider, operation, asked);
    expect(whole.baseUrl + whole.path).toBe(fixture.url);
    if (fixture.headers) expect(whole.headers).toMatchObject(fixture.headers);
    const streamed = targetOf(provider, operation, { ...asked, stream: true });
    expect(streamed.baseUrl + streamed.path).toBe(fixture.stream_url ?? fixture.url);
  });

  test.each(Object.keys(scenarios))('writes a request: %s', (name) => {
    const request = { ...scenarios[name]!, model: fixture.model };
    if (fixture.requests?.[name] === null)
      return expect(() => wireOf(operation).writeRequest(request, { model: fixture.model })).toThrow(BadChatRequest);
    const body = fixed(sent(wireOf(operation).writeRequest(request, { model: fixture.model })));
    const expected =
      operation.dialect === 'openai'
        ? patched({ model: fixture.model, ...inOpenAi[name] }, fixture.requests?.[name] ?? {})
        : fixture.requests?.[name];
    expect(body).toEqual(expected);
  });

  test.skipIf(operation.dialect !== 'openai')('gives a model its reasoning back', () => {
    const value = provider.id === 'mistral' ? 'content' : 'reasoning';
    const thinking = { type: 'thinking', text: 'I look at a map.', signature: { kind: 'chat', value } } as const;
    const calling = { type: 'tool_call', id: 'call_1', name: 'weather', arguments: '{}' } as const;
    const messages = [...scenarios['plain']!.messages, { role: 'assistant' as const, parts: [thinking, calling] }];
    const request = { ...scenarios['plain']!, messages, model: 'qwen3.5' };
    const body = fixed(sent(wireOf(operation).writeRequest(request, { model: 'qwen3.5' })));
    expect(JSON.stringify(listOr(body['messages']).at(-1))).toContain('I look at a map.');
  });

  test.skipIf(operation.dialect === 'own')('passes on what a caller of the same dialect says', () => {
    const request = callers[operation.dialect]!;
    const body = sent({ ...request, model: fixture.model });
    expect(fixed(body)).toEqual(patched(body, fixture.passed_on ?? {}));
    if (fixture.passed_on) expect(operation.mayFix?.(Buffer.from(JSON.stringify(body)), asked) ?? true).toBe(true);
  });

  test('reads an answer', () => {
    const read = (told: RecordedReply) => wireOf(operation).readReply(told.reply, { usage: operation.usage });
    expectAnswer(read(fixture.answer), fixture.answer);
    if (fixture.calls) expectCalls(read(fixture.calls), fixture.calls);
  });

  test.each([1, 7, 100_000])('reads a stream that comes in pieces of %i bytes', (size) => {
    const read = (told: RecordedReply) =>
      collected(eventsIn(readerOf(), pieces(streamBytes(fixture, told.stream), size)));
    for (const [told, check] of [
      [fixture.answer, expectAnswer],
      [fixture.calls, expectCalls],
    ] as const)
      if (told) check(read(told), { ...told, usage: told.stream_usage ?? told.usage });
  });

  test('a truncated stream is broken, and reports its usage so far', () => {
    const whole = streamBytes(fixture, fixture.answer.stream);
    const events = eventsIn(readerOf(), [whole.subarray(0, Math.floor(whole.length / 2))]);
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { code: 'stream_broken' } });
    expect(events.filter(({ type }) => type === 'finish')).toEqual([]);
  });
});

/** A reader of the provider's bytes, with its framing. */
function streamReader(operation: Operation): StreamReader {
  const reader = wireOf(operation).streamReader({ usage: operation.usage });
  const unframer = operation.unframe?.();
  if (!unframer) return reader;
  return {
    push: (chunk) => reader.push(unframer.push(chunk)),
    end: () => [...reader.push(unframer.end()), ...reader.end()],
    usage: () => reader.usage(),
    get usageAt() {
      return reader.usageAt;
    },
    get done() {
      return reader.done;
    },
  };
}

const pieces = (bytes: Buffer, size: number): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));

const eventsIn = (reader: StreamReader, chunks: readonly Buffer[]): ChatEvent[] => [
  ...chunks.flatMap((chunk) => reader.push(chunk)),
  ...reader.end(),
];

function collected(events: readonly ChatEvent[]): ChatReply {
  const collector = new ChatCollector();
  for (const event of events) collector.add(event);
  return collector.reply();
}

test('a plain request to a vendor of OpenAI’s dialect is passed on without being parsed', () => {
  const plain = Buffer.from(
    JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello' }], stream: true }),
  );
  const extras = { other: '', plugin: {} };
  const parsed = cases.filter(({ provider, operation }) => {
    const asked = callOf(provider, needFixture<'channel'>(provider.id, 'channel'), { model: 'm', extras });
    return operation.dialect === 'openai' && operation.fix && (operation.mayFix?.(plain, asked) ?? true);
  });
  expect(parsed.map(({ provider }) => provider.id)).toEqual([]);
});

test('every provider that chats is here', () => {
  const chatting = allProviders().filter(({ chat }: Provider) => chat);
  expect(new Set(cases.map(({ provider }) => provider.id))).toEqual(new Set(chatting.map(({ id }) => id)));
  const dialects = new Set(cases.map(({ operation }) => operation.dialect satisfies string));
  expect([...dialects].toSorted()).toEqual(['anthropic', 'gemini', 'openai', 'own']);
  expect(cases.every(({ fixture }: { fixture: ChatFixture }) => fixture.source.startsWith('https://'))).toBe(true);
});
