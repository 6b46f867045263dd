import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type SseEvent, SseEvents, SseTooLarge } from './sse-events.ts';

function parsed(chunks: readonly Buffer[]): SseEvent[] {
  const sse = new SseEvents();
  const events = chunks.flatMap((chunk) => sse.push(chunk));
  const last = sse.end();
  return last ? [...events, last] : events;
}

const one = (text: string) => parsed([Buffer.from(text)]);
const data = (text: string) => one(text).map((event) => event.data);

type Row = [what: string, stream: string, data: string[]];

const rows: Row[] = [
  ['LF', 'data: a\n\ndata: b\n\n', ['a', 'b']],
  ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
  ['CR', 'data: a\r\rdata: b\r\r', ['a', 'b']],
  ['all of them at once', 'data: a\r\ndata: b\n\rdata: c\r\r', ['a\nb', 'c']],
  ['no space behind the colon', 'data:a\n\n', ['a']],
  ['only one space is taken away', 'data:  a \n\n', [' a ']],
  ['several lines are one text', 'data: a\ndata: b\ndata:\ndata: c\n\n', ['a\nb\n\nc']],
  ['a name without colon', 'data\n\n', ['']],
  ['a field that only begins so', 'database: a\ndata: b\n\n', ['b']],
  ['comments', ': OPENROUTER PROCESSING\n\n:\n\ndata: a\n: in the midst\ndata: b\n\n', ['a\nb']],
  ['other fields', 'id: 7\nretry: 100\ndata: a\nwhatever\n\n', ['a']],
  ['blank lines alone', '\n\n\r\n\n', []],
  ['a mark at the beginning', '\uFEFFdata: a\n\n', ['a']],
  ['a mark elsewhere is text', 'data: a\n\n\uFEFFdata: b\n\ndata: c\n\n', ['a', 'c']],
  ['the last event without its blank line', 'data: a\n\ndata: b', ['a', 'b']],
  ['the last event with half of it', 'data: a\n\ndata: b\n', ['a', 'b']],
  ['nothing', '', []],
  ['text of all sizes', 'data: aé文😀\n\n', ['aé文😀']],
];

test.each(rows)('%s', (_, stream, expected) => {
  expect(data(stream)).toEqual(expected);
});

test.each(rows)('%s, byte by byte', (_, stream, expected) => {
  const bytes = Buffer.from(stream);
  expect(parsed(Array.from(bytes, (byte) => Buffer.from([byte]))).map((event) => event.data)).toEqual(expected);
});

test('an event has the name of its event line, and the next one has not', () => {
  expect(one('event: message_stop\ndata: {}\n\ndata: x\n\nevent: alone\n\ndata: y\n\n')).toEqual([
    { name: 'message_stop', data: '{}' },
    { name: undefined, data: 'x' },
    { name: undefined, data: 'y' },
  ]);
});

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].toSorted((a, b) => a - b);
  return [0, ...at].map((start, i) => bytes.subarray(start, at[i] ?? bytes.length));
}

test('however the bytes are cut, the events are the same', () => {
  const line = fc.tuple(fc.constantFrom('data: ', 'data:', 'event: ', ': ', ''), fc.string({ unit: 'grapheme' }));
  const streams = fc
    .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r', '\n\n', '\r\n\r\n', '\r\r')), { maxLength: 12 })
    .map((lines) => lines.map(([[field, text], end]) => field + text + end).join(''));
  fc.assert(
    fc.property(streams, fc.array(fc.nat(), { maxLength: 12 }), (stream, places) => {
      const bytes = Buffer.from(stream);
      expect(parsed(cut(bytes, places))).toEqual(parsed([bytes]));
    }),
  );
});

test('whatever text is sent as data comes out as it was', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), fc.array(fc.nat()), (texts, places) => {
      const sent = texts.map((text) => JSON.stringify(text));
      const bytes = Buffer.from(sent.map((json) => `data: ${json}\r\n\r\n`).join(''));
      expect(parsed(cut(bytes, places)).map((event) => event.data)).toEqual(
        sent.map((json) => Buffer.from(json).toString()),
      );
    }),
  );
});

test('a line of many megabytes is one event', () => {
  const text = 'x'.repeat(10 * 1024 * 1024);
  const bytes = Buffer.from(`data: ${text}\n\n`);
  const chunks = Array.from({ length: Math.ceil(bytes.length / 65536) }, (_, i) =>
    bytes.subarray(i * 65536, (i + 1) * 65536),
  );
  expect(parsed(chunks)).toEqual([{ name: undefined, data: text }]);
});

test('data beyond the limit is not buffered, whether it is one line, many, or one chunk', () => {
  const filler = Buffer.from('x'.repeat(64));
  const feed = (first: string, next: Buffer) => () => {
    const sse = new SseEvents(1024);
    sse.push(Buffer.from(first));
    for (let i = 0; i < 64; i++) sse.push(next);
  };
  expect(feed('data: ', filler)).toThrow(SseTooLarge);
  expect(feed('', Buffer.from('data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n'))).toThrow(SseTooLarge);
  expect(() => new SseEvents(1024).push(Buffer.from(`data: ${'x'.repeat(2000)}\n\n`))).toThrow(SseTooLarge);
  expect(feed('', Buffer.from('data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n\n'))).not.toThrow();
});
