import { describe, expect, test } from 'vitest';
import { eventFrame, modelEvent, rawFrame } from '../../testing/event-stream-frames.ts';
import { FrameError } from '../chat-frames-reader.ts';
import { EventStream } from './event-stream.ts';
import { ClaudeUnframer } from './unframe-claude.ts';

describe('Amazon’s event stream', () => {
  test('a message of the vendor’s own making, byte by byte', () => {
    // Headers of every type: true, byte, short, int, long, bytes, text, time, uuid.
    const header = (name: string, type: number, ...value: number[]) =>
      Buffer.from([name.length, ...Buffer.from(name), type, ...value]);
    const zeros = (length: number) => Array.from({ length }, () => 0);
    const headers = [
      header('t', 0),
      header('f', 1),
      header('b', 2, 1),
      header('s', 3, ...zeros(2)),
      header('i', 4, ...zeros(4)),
      header('l', 5, ...zeros(8)),
      header('bytes', 6, 0, 2, 1, 2),
      header(':event-type', 7, 0, 5, ...Buffer.from('chunk')),
      header('time', 8, ...zeros(8)),
      header('id', 9, ...zeros(16)),
    ];
    const made = rawFrame(Buffer.concat(headers), Buffer.from('{"a":"é"}'));
    const stream = new EventStream();
    const frames = [...made].flatMap((byte) => stream.push(Buffer.from([byte])));
    expect(frames).toEqual([{ headers: { ':event-type': 'chunk' }, payload: Buffer.from('{"a":"é"}') }]);
    expect(stream.end()).toEqual([]);
  });

  test('the example of the format’s description: a checksum that is known', () => {
    // An empty message: 16 bytes, no headers, and its two documented checksums.
    const empty = Buffer.from('000000100000000005c248eb7d98c8ff', 'hex');
    expect(new EventStream().push(empty)).toEqual([{ headers: {}, payload: Buffer.alloc(0) }]);
  });

  test.each([
    ['a wrong checksum of the lengths', (frame: Buffer) => flip(frame, 9)],
    ['a wrong checksum of the message', (frame: Buffer) => flip(frame, frame.length - 1)],
    ['a byte that was changed', (frame: Buffer) => flip(frame, 30)],
  ])('%s', (_, damage) => {
    expect(() => new EventStream().push(damage(modelEvent('chunk', { a: 1 })))).toThrow(FrameError);
  });

  test('lengths that cannot be, and messages that are too large', () => {
    expect(() => new EventStream(1024).push(eventFrame({}, 'a'.repeat(2000)))).toThrow(/larger than 1024/);
    expect(() => new EventStream().push(rawFrame(Buffer.from([200, 1, 2]), Buffer.alloc(0)))).toThrow(/headers/);
    const cut = new EventStream();
    cut.push(modelEvent('chunk', {}).subarray(0, 20));
    expect(() => cut.end()).toThrow(/inside of a message/);
  });

  test('Claude’s events come out as Claude sends them; an exception is an error of its dialect', () => {
    const event = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a\nb' } };
    const unframer = new ClaudeUnframer();
    const bytes = Buffer.from(JSON.stringify(event)).toString('base64');
    expect(unframer.push(modelEvent('chunk', { bytes })).toString()).toBe(
      `event: content_block_delta\ndata: ${JSON.stringify(event)}\n\n`,
    );
    const exception = eventFrame(
      { ':message-type': 'exception', ':exception-type': 'throttlingException' },
      { message: 'Too many tokens' },
    );
    expect(unframer.push(exception).toString()).toBe(
      'event: error\ndata: {"type":"error","error":{"type":"rate_limit_error","message":"Too many tokens"}}\n\n',
    );
    expect(unframer.push(modelEvent('chunk', { bytes })).length + unframer.end().length).toBe(0);
  });
});

function flip(frame: Buffer, at: number): Buffer {
  const copy = Buffer.from(frame);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}
