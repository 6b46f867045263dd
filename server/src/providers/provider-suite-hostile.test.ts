import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '#json.ts';
import { BadReply } from '#chat/chat-errors.ts';
import type { ChatEvent } from '#chat/chat.ts';
import type { StreamReader } from '#chat/codec.ts';
import type { Provider } from './provider.ts';
import { allProviders } from './registry.ts';
import { type ChatFixture, needFixture, streamBytes } from './testing/fixtures.ts';
import { callOf, chatCases, otherOperations, wireOf } from './testing/operations.ts';
import { readUpstreamError } from './upstream-errors.ts';

const runs = { numRuns: 60 };

/** Arbitrary JSON values in place of the expected ones. */
const oddJson = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom('constructor', '__proto__', 'toString'));

/** A vendor's JSON with some parts replaced. */
const damaged = (json: unknown): fc.Arbitrary<unknown> =>
  fc.array(fc.tuple(fc.nat(200), oddJson), { minLength: 1, maxLength: 4 }).map((places) => {
    let copy = structuredClone(json);
    for (const [at, value] of places) copy = replaced(copy, at, value);
    return copy;
  });

/** Replaces the `at`th node, modulo their number. */
function replaced(json: unknown, at: number, value: unknown): unknown {
  const holders: [holder: Json, name: string][] = [];
  const walk = (holder: Json): void => {
    for (const [name, inner] of Object.entries(holder)) {
      holders.push([holder, name]);
      if (typeof inner === 'object' && inner !== null) walk(inner as Json);
    }
  };
  if (typeof json !== 'object' || json === null) return value;
  walk(json as Json);
  const found = holders[at % Math.max(1, holders.length)];
  if (!found) return value;
  const [holder, name] = found;
  holder[name] = value;
  return json;
}

/** Only errors that say the reply is invalid may be thrown. */
function refusesAtMost(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof BadReply)) throw error;
    expect(error.fault.message).toEqual(expect.any(String));
  }
}

const chats = allProviders().flatMap((provider) =>
  chatCases(provider).map((one) => ({ title: `${provider.id}: ${one.name}`, ...one })),
);

describe.each(chats)('$title', ({ operation, fixture }) => {
  const read = (reply: unknown) => wireOf(operation).readReply(reply, { usage: operation.usage });
  const told = [fixture.answer, fixture.calls].filter((one) => one !== undefined);

  test('reads answers of any shape, or says that they are none', () => {
    fc.assert(
      fc.property(fc.oneof(oddJson, ...told.map(({ reply }) => damaged(reply))), (json) => {
        refusesAtMost(() => read(json));
      }),
      runs,
    );
  });

  test('reads streams of any shape, and reports at most one fault', () => {
    const streams = told.map(({ stream }) => damaged(stream) as fc.Arbitrary<ChatFixture['answer']['stream']>);
    fc.assert(
      fc.property(fc.oneof(...streams), (stream) => {
        const bytes = Array.isArray(stream)
          ? streamBytes(fixture, stream.filter(isSendable(fixture)))
          : Buffer.alloc(0);
        expectHonest(eventsOf(wireOf(operation).streamReader({ usage: operation.usage }), [bytes]));
      }),
      runs,
    );
  });

  test('reads bytes of any kind', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 64 }), { maxLength: 4 }), (chunks) => {
        const unframer = operation.unframe?.();
        const buffers = chunks.map((chunk) => Buffer.from(chunk));
        const bytes = unframer ? [...buffers.map((one) => unframer.push(one)), unframer.end()] : buffers;
        expectHonest(eventsOf(wireOf(operation).streamReader({ usage: operation.usage }), bytes));
      }),
      runs,
    );
  });

  test('an event without an end breaks the stream off', () => {
    const reader = wireOf(operation).streamReader({ usage: operation.usage, largestEventBytes: 4096 });
    const first = fixture.framing === 'amazon' ? Buffer.from([0, 0xff, 0, 0, 0, 0, 0, 0]) : Buffer.from('data: "');
    const events = [
      reader.push(first),
      ...Array.from({ length: 200 }, () => reader.push(Buffer.alloc(100, 'a'))),
    ].flat();
    expect(events).toMatchObject([{ type: 'error', error: { code: 'stream_broken' } }]);
    expect(reader.end().filter(({ type }) => type === 'finish')).toEqual([]);
  });
});

const isSendable =
  ({ framing }: ChatFixture) =>
  (event: unknown): boolean =>
    framing === 'amazon'
      ? Array.isArray(event) && typeof event[0] === 'string' && event[1] !== undefined
      : typeof event === 'string' || (typeof event === 'object' && event !== null && !Array.isArray(event));

const eventsOf = (reader: StreamReader, chunks: readonly Buffer[]): ChatEvent[] => [
  ...chunks.flatMap((chunk) => reader.push(chunk)),
  ...reader.end(),
];

/** Either an end or one fault, and nothing after it. */
function expectHonest(events: readonly ChatEvent[]): void {
  const faults = events.filter(({ type }) => type === 'error').length;
  expect(faults).toBeLessThanOrEqual(1);
  if (faults === 1) expect(events.at(-1)?.type).toBe('error');
  expect(events.filter(({ type }) => type === 'finish').length).toBe(1 - faults);
}

describe.each(allProviders().map((provider): [string, Provider] => [provider.id, provider]))('%s', (id, provider) => {
  const channel = needFixture<'channel'>(id, 'channel');

  test('its errors, models and balance may have any shape', () => {
    const samples = [
      oddJson,
      ...channel.errors.map(({ body }) => damaged(body)),
      damaged(channel.models?.reply),
      damaged(channel.balance?.reply),
    ];
    fc.assert(
      fc.property(fc.oneof(...samples), fc.constantFrom(200, 400, 500), (json, status) => {
        const error = (provider.error ?? readUpstreamError)({ status, json });
        if (status >= 400) expect(error?.message).toMatch(/./);
        if (error) expect(error.status).toBeGreaterThanOrEqual(400);
        for (const name of provider.models?.read(json) ?? []) expect(name).toMatch(/./);
        provider.models?.next?.(json);
        const left = provider.balance?.read(json, provider.baseUrl);
        if (left) expect(Number.isFinite(left.amount)).toBe(true);
      }),
      runs,
    );
  });

  test('conversions accept input of any shape', () => {
    for (const [name, { convert }] of Object.entries(otherOperations(provider))) {
      const { request = {}, reply } = channel.others?.[name] ?? {};
      if (!convert) continue;
      fc.assert(
        fc.property(fc.oneof(oddJson, damaged(reply)), (json) => refusesAtMost(() => convert.reply({ json }, request))),
        runs,
      );
    }
  });

  test('a body of any shape is passed on, and a plugin of any shape is none', () => {
    const operations = [provider.chat, ...Object.values(otherOperations(provider))].filter((one) => one !== undefined);
    fc.assert(
      fc.property(fc.dictionary(fc.string(), oddJson), fc.dictionary(fc.string(), oddJson), (body, plugin) => {
        const extras = {
          other: channel.other ?? '',
          plugin: { ...plugin, customize: body, other: body, voice: plugin },
        };
        for (const { fix, serves, mayFix } of operations) {
          const asked = callOf(provider, channel, { extras });
          serves?.(asked);
          const whole = { ...body, messages: body['messages'] ?? Object.values(body) };
          const changes = fix?.(whole, asked) ?? {};
          // If `mayFix` says no, `fix` changes nothing.
          if (mayFix && !mayFix(Buffer.from(JSON.stringify(whole)), asked)) expect(changes).toEqual({});
        }
      }),
      runs,
    );
  });
});
