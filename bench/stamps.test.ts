import { expect, test } from 'vitest';
import { clockUs, stamp, StampReader } from './stamps.ts';

const text = (us: number) => `data: {"choices":[{"delta":{"content":"${stamp(us)}"}}]}\n\n`;

test('every stamp is found once, wherever the bytes are cut', () => {
  const bytes = Buffer.from(`data: {"role":"assistant"}\n\n${text(12)}${text(3_456_789_012)}data: [DONE]\n\n`);
  for (let size = 1; size <= bytes.length; size++) {
    const reader = new StampReader();
    const stamps: number[] = [];
    for (let at = 0; at < bytes.length; at += size) stamps.push(...reader.read(bytes.subarray(at, at + size)));
    expect(stamps, `in pieces of ${size}`).toEqual([12, 3_456_789_012]);
  }
});

test('the clock is written and read whole', () => {
  const us = clockUs();
  expect(new StampReader().read(Buffer.from(text(us)))).toEqual([us]);
});
