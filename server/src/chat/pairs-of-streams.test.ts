import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ChatEvent, ChatReply, ChatRequest } from './chat.ts';
import { ChatCollector, eventsOf } from './chat-events.ts';
import type { DialectId, WireId } from './codec.ts';
import { dialects } from './codecs.ts';
import { kept, someReply } from './testing/arbitrary-chats.ts';
import {
  dialectIds,
  overTheNetwork,
  readStream,
  contextOf,
  usageFormats,
  vendorStream,
  wireIds,
  wires,
} from './testing/bridge.ts';

const request: ChatRequest = { model: 'm', messages: [], tools: [], stop: [], stream: true, includeUsage: true };

/** Bytes in chunks of repeating sizes. */
function cut(text: string, sizes: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text);
  const pieces: Buffer[] = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const end = at + sizes[i % sizes.length]!;
    pieces.push(bytes.subarray(at, end));
    at = end;
  }
  return pieces;
}

function collected(events: readonly ChatEvent[]): ChatReply {
  const collector = new ChatCollector();
  for (const event of events) collector.add(event);
  return collector.reply();
}

const pairs = wireIds.flatMap((wire) => dialectIds.map((dialect): [WireId, DialectId] => [wire, dialect]));
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

describe.each(pairs)('from %s to %s', (wire, dialect) => {
  test('a stream keeps its text, reasoning, calls, end and usage, however the bytes are cut', () => {
    fc.assert(
      fc.property(someReply, sizes, sizes, (reply, first, second) => {
        const events = readStream(wire, cut(vendorStream(wire, eventsOf(reply), request), first));
        const writer = dialects[dialect].streamWriter(contextOf(request));
        const told = events.map((event) => writer.event(event)).join('') + writer.end();
        expect(kept(collected(readStream(dialect, cut(told, second))))).toEqual(kept(reply));
      }),
      { numRuns: 40 },
    );
  });

  test('so does an answer in one piece', () => {
    fc.assert(
      fc.property(someReply, (reply) => {
        const fromVendor = overTheNetwork(dialects[wire].writeReply(reply, contextOf(request)));
        const read = wires[wire].readReply(fromVendor, { usage: usageFormats[wire] });
        const told = overTheNetwork(dialects[dialect].writeReply(read, contextOf(request)));
        expect(kept(wires[dialect].readReply(told, { usage: usageFormats[dialect] }))).toEqual(kept(reply));
      }),
      { numRuns: 40 },
    );
  });
});

describe.each(wireIds)('a stream of %s that is cut off', (wire) => {
  test('never ends well, wherever it is cut', () => {
    fc.assert(
      fc.property(someReply, fc.nat(), (reply, place) => {
        const whole = Buffer.from(vendorStream(wire, eventsOf(reply), request));
        // The final blank line may be missing.
        const events = readStream(wire, [whole.subarray(0, place % (lastEventStart(wire, whole) + 1))]);
        const text = kept(reply).text;
        const read = events.map((event) => (event.type === 'text' ? event.text : '')).join('');
        expect(text.startsWith(read)).toBe(true);
        expect(events.at(-1)).toMatchObject({ type: 'error', error: { code: 'stream_broken' } });
      }),
    );
  });
});

/** From here on the reader may know that the reply is complete. */
function lastEventStart(wire: WireId, stream: Buffer): number {
  const mark = {
    openai: '"finish_reason":"',
    anthropic: 'event: message_stop',
    gemini: '"finishReason"',
    responses: 'event: response.',
  };
  return stream.lastIndexOf(mark[wire]);
}
