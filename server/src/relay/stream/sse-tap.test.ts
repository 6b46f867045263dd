import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openAiChat } from '#usage/open-ai-chat.ts';
import { OpenAiStreamTap } from './sse-tap.ts';

const head = '{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"gpt-4o","choices":[';
const delta = (text: string, finish: string | null = null, more = '') =>
  `data: ${head}{"index":0,"delta":{"content":${JSON.stringify(text)}},"finish_reason":${JSON.stringify(finish)}}]${more}}\n\n`;
const usage = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 };
const usageEvent = (told: unknown = usage) => `data: ${head}],"usage":${JSON.stringify(told)}}\n\n`;
const finish = `data: ${head}{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}\n\n`;
const DONE = 'data: [DONE]\n\n';

const recorded = [
  ': keep-alive\n\n',
  delta('Grüße, 世界 👋🏽'),
  delta(' data: [DONE] {"usage":{"prompt_tokens":1}}'),
  finish,
  usageEvent(),
  DONE,
].join('');
/** The stream as a caller sees it who did not ask for usage. */
const unasked = (text: string) => text.replaceAll(usageEvent(), '').replaceAll(',"usage":null', '');
const withoutUsage = unasked(recorded);

/** Runs a stream through a tap in chunks. Returns the bytes passed on, the bytes held back and the facts read. */
function run(pieces: readonly (string | Buffer)[], dropUsage = true) {
  const tap = new OpenAiStreamTap(dropUsage, openAiChat);
  const passed: Buffer[] = [];
  for (const piece of pieces) {
    const bytes = tap.push(Buffer.from(piece));
    if (bytes) passed.push(bytes);
  }
  const rest = tap.flush() ?? Buffer.alloc(0);
  const { raw: told, finishReason, done, error } = tap;
  return {
    passed: Buffer.concat(passed).toString(),
    rest: rest.toString(),
    told,
    finishReason,
    done,
    error,
    estimated: tap.estimatedOutput(),
  };
}

/** The stream cut at the given places. */
function cutAt(bytes: Buffer, places: number[]): Buffer[] {
  const edges = [0, ...places.toSorted((a, b) => a - b), bytes.length];
  return edges.slice(1).map((end, i) => bytes.subarray(edges[i], end));
}

test('wherever a stream is cut, the same bytes pass and the same is read', () => {
  const bytes = Buffer.from(recorded);
  const whole = run([bytes]);
  expect(whole).toMatchObject({
    passed: withoutUsage.replace(DONE, ''),
    rest: DONE,
    told: usage,
    finishReason: 'stop',
    done: true,
    error: undefined,
  });
  for (let at = 0; at <= bytes.length; at++) expect(run(cutAt(bytes, [at]))).toEqual(whole);
  expect(run(Array.from(bytes, (byte) => Buffer.of(byte)))).toEqual(whole);
});

test('CRLF, and a cut between its two characters', () => {
  const text = recorded.replaceAll('\n', '\r\n');
  const bytes = Buffer.from(text);
  const kept = withoutUsage.replaceAll('\n', '\r\n');
  for (let at = 0; at <= bytes.length; at++) {
    const { passed, rest, told, done } = run(cutAt(bytes, [at]));
    expect(passed + rest).toBe(kept);
    expect({ told, done }).toEqual({ told: usage, done: true });
  }
});

test('a usage event that was asked for passes', () => {
  expect(run([recorded], false)).toMatchObject({ passed: recorded.replace(DONE, ''), rest: DONE, told: usage });
});

test('a byte order mark and comments pass as they are', () => {
  const stream = `\uFEFF${usageEvent()}: ping\n\n${delta('a')}: ping\n\n${DONE}`;
  expect(run([stream], false)).toMatchObject({ passed: stream.replace(DONE, ''), rest: DONE, told: usage });
});

test('usage in every chunk: the last one counts, and no chunk with a choice is dropped', () => {
  const counting = [1, 2, 3].map((n) =>
    delta('x', n === 3 ? 'stop' : null, `,"usage":{"prompt_tokens":9,"completion_tokens":${n}}`),
  );
  expect(run([...counting, DONE])).toMatchObject({
    passed: counting.join(''),
    told: { prompt_tokens: 9, completion_tokens: 3 },
  });
});

test('usage reported twice is dropped twice and counted once', () => {
  expect(run([delta('a', 'stop'), usageEvent(), usageEvent(), DONE])).toMatchObject({
    passed: delta('a', 'stop'),
    told: usage,
  });
});

test('usage inside of a choice is read', () => {
  expect(run([`data: {"choices":[{"delta":{},"usage":${JSON.stringify(usage)}}]}\n\n`])).toMatchObject({ told: usage });
});

test('a chunk without choices or usage passes', () => {
  const filter = 'data: {"choices":[],"prompt_filter_results":[]}\n\n';
  expect(run([filter, DONE])).toMatchObject({ passed: filter });
});

test.each([
  ['an object', '{"error":{"message":"overloaded","type":"server_error"}}', 'overloaded'],
  [
    'beside choices',
    '{"id":"x", "error": {"code":502,"message":"provider gone"},"choices":[{"delta":{},"finish_reason":"error"}]}',
    'provider gone',
  ],
  ['a text', '{"error":"no more"}', 'no more'],
  ['without a message', '{"error":{"code":500}}', 'error'],
])('an error inside of the stream is read and not passed on: %s', (_, json, error) => {
  expect(run([delta('a'), `data: ${json}\n\n`])).toMatchObject({ passed: delta('a'), rest: '', error, done: false });
});

test('what only looks like an error passes', () => {
  const harmless = [
    delta('{"error":{"message":"quoted"}}'),
    `data: ${head}{"index":0,"delta":{"content":"b"}}],"error":null}\n\n`,
  ];
  expect(run([...harmless, DONE])).toMatchObject({ passed: harmless.join(''), error: undefined });
});

test.each([
  ['data: [DONE]', DONE],
  ['data: [DONE]\n', DONE],
  ['data:[DONE]\n\n', 'data:[DONE]\n\n'],
  ['data: [DONE]\r\r', 'data: [DONE]\r\r'],
  ['data: [DONE]\r\n', 'data: [DONE]\r\n\r\n'],
])('[DONE] without its blank line, or without the space, is the end all the same: %j', (end, rest) => {
  expect(run([delta('a'), end])).toMatchObject({ passed: delta('a'), rest, done: true });
});

test('[DONE] is only that at the start of a line', () => {
  const { passed, done } = run([delta('data: [DONE]'), delta('[DONE]')]);
  expect({ passed, done }).toEqual({ passed: delta('data: [DONE]') + delta('[DONE]'), done: false });
});

test('nothing behind the first [DONE] is passed on', () => {
  const free = delta('free of charge');
  for (const pieces of [
    [delta('a') + DONE + free + DONE],
    [delta('a') + DONE, free, DONE],
    [`${delta('a')}data: [DONE]`, `\n\n${free}`],
  ])
    expect(run(pieces)).toMatchObject({ passed: delta('a'), rest: DONE, done: true });
});

const lineEnds = ['\n', '\r\n', '\r'] as const;

test('events end with a blank line of any line ends, also mixed, wherever they are cut', () => {
  for (const first of lineEnds)
    for (const second of lineEnds) {
      // CR LF is one line end.
      if (first === '\r' && second === '\n') continue;
      const ends = (text: string) => text.replaceAll('\n\n', first + second);
      const bytes = Buffer.from(ends(recorded));
      for (let at = 0; at <= bytes.length; at++) {
        const { passed, rest, told, done, finishReason } = run(cutAt(bytes, [at]), false);
        const label = JSON.stringify([first, second, at]);
        expect(passed, label).toBe(ends(recorded.replace(DONE, '')));
        expect({ rest: rest.replaceAll(/[\r\n]/g, ''), told, done, finishReason }, label).toEqual({
          rest: 'data: [DONE]',
          told: usage,
          done: true,
          finishReason: 'stop',
        });
      }
    }
});

test('a usage event between line ends of another kind is dropped alone', () => {
  const before = delta('a').replaceAll('\n', '\r');
  const { passed, rest } = run([before + usageEvent().replaceAll('\n', '\r') + delta('b', 'stop') + DONE]);
  expect(passed + rest).toBe(before + delta('b', 'stop') + DONE);
});

test.each([
  ['named, with a text', 'event: error\ndata: cannot reach the backend\n\n', 'cannot reach the backend'],
  ['named, with other members', 'event: error\ndata: {"detail":"x","message":"gone"}\n\n', 'gone'],
  ['as an object of its own', 'data: {"object":"error","message":"no such host","code":500}\n\n', 'no such host'],
  ['as a type', 'data: {"type": "error", "message": "overloaded"}\n\n', 'overloaded'],
  ['as a plain text', 'data: Error: upstream is away\n\n', 'Error: upstream is away'],
])('an error in another shape is read and not passed on: %s', (_, event, error) => {
  expect(run([delta('a') + event + delta('error handling')])).toMatchObject({ error, rest: '' });
  expect(run([delta('a') + event]).passed).toBe(delta('a'));
});

test('an unfinished event is kept back, and handed over at the end', () => {
  const half = delta('never ends').slice(0, -10);
  expect(run([delta('a'), half])).toMatchObject({ passed: delta('a'), rest: half, done: false });
});

test('a line of megabytes passes as it comes, and what follows is read wherever it is cut', () => {
  const text = 'y'.repeat(300_000);
  const stream = Buffer.from(delta('a') + delta(text) + finish + usageEvent() + DONE);
  const end = stream.length - (finish + usageEvent() + DONE).length;
  for (let at = end - 3; at <= stream.length; at++) {
    const pieces = cutAt(stream, [1000, 70_000, 200_000, at]);
    const { passed, rest, told, done } = run(pieces);
    expect(passed.length + rest.length).toBe(unasked(stream.toString('latin1')).length);
    expect({ told, done, rest }).toEqual({ told: usage, done: true, rest: DONE });
  }
  const tap = new OpenAiStreamTap(true, openAiChat);
  let kept = 0;
  for (let i = 0; i < 290_000; i += 1000) kept += 1000 - (tap.push(stream.subarray(i, i + 1000))?.length ?? 0);
  expect(kept).toBeLessThanOrEqual(64 * 1024);
});

test('the text is estimated, however it is cut into pieces', () => {
  const stream = Buffer.from(delta('z'.repeat(390_000)));
  const whole = run([stream]).estimated;
  expect(whole).toBe(100_000);
  expect(run(cutAt(stream, [100_000, 200_000, 300_000])).estimated).toBe(whole);
  expect(run([delta('世界世界')]).estimated).toBe(3);
});

test('tool calls and reasoning are text too', () => {
  const call = `data: ${head}{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\\"city\\": \\"Köln\\"}"}}]}}]}\n\n`;
  const thought = `data: ${head}{"index":0,"delta":{"content":null,"reasoning_content":"let me think about it"}}]}\n\n`;
  expect(run([call]).estimated).toBeGreaterThan(3);
  expect(run([thought]).estimated).toBe(6);
});

test('whatever comes in whatever pieces, it leaves in order and nothing is lost but dropped events', () => {
  const event = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => delta(text)),
    fc.constantFrom(': ping\n\n', 'event: x\ndata: 1\n\n', finish, 'data: {"broken\n\n', '\n\n', 'retry: 10\n'),
  );
  fc.assert(
    fc.property(
      fc.array(fc.oneof(event, fc.constant(usageEvent())), { maxLength: 12 }),
      fc.boolean(),
      fc.array(fc.nat(), { maxLength: 8 }),
      (events, ends, places) => {
        // A usage event inside another event, after a line that does not end one, is part of it.
        const bytes = Buffer.from(events.join('') + (ends ? DONE : ''));
        const { passed, rest } = run(
          cutAt(
            bytes,
            places.map((place) => place % (bytes.length + 1)),
          ),
          false,
        );
        expect(passed + rest).toBe(bytes.toString());
        // Extra blank lines mean nothing and may be dropped with the event before them.
        const alone = events.filter((text) => text !== 'retry: 10\n' && text !== '\n\n');
        const dropped = run(
          cutAt(
            Buffer.from(alone.join('')),
            places.map((place) => place % (bytes.length + 1)).filter((place) => place <= alone.join('').length),
          ),
        );
        expect(dropped.passed + dropped.rest).toBe(
          alone
            .filter((text) => text !== usageEvent())
            .map(unasked)
            .join(''),
        );
      },
    ),
    { numRuns: 500 },
  );
});
