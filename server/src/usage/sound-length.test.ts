import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { aac, flac, mp3, opus, wav } from '#testing/sounds.ts';
import { SoundLength } from './sound-length.ts';

const measure = (sound: Buffer, chunkBytes: number, isRaw = false): number => {
  const length = new SoundLength(isRaw);
  for (let at = 0; at < sound.length; at += chunkBytes) length.push(sound.subarray(at, at + chunkBytes));
  return length.seconds;
};

const tagged = Buffer.concat([Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 1, 2]), Buffer.alloc(130, 0xff), mp3(10)]);
const damaged = Buffer.concat([mp3(5), Buffer.alloc(1000), mp3(5)]);

test.each<[string, Buffer, number]>([
  ['MP3', mp3(10), 10],
  ['MP3 behind a tag with bytes that look like a frame', tagged, 10],
  ['MP3 of which a part is damaged', damaged, 10],
  ['AAC', aac(10), 10],
  ['Opus', opus(10), 10],
  ['WAV', wav(10), 10],
  ['FLAC', flac(10, true), 10],
  ['half a second of MP3', mp3(0.5), 0.5],
])('the duration of %s is measured however chunks cut it', (_, sound, seconds) => {
  for (const chunkBytes of [1, 7, 63, 1000, sound.length])
    expect(Math.abs(measure(sound, chunkBytes) - seconds)).toBeLessThan(0.06);
});

test('what has come of a sound that is cut is measured', () => {
  const whole = mp3(10);
  expect(measure(whole.subarray(0, whole.length / 2), 100)).toBeCloseTo(5, 0);
});

test('raw samples and unknown formats are measured by their bytes', () => {
  expect(measure(Buffer.alloc(480_000, 0xff), 999, true)).toBe(10);
  expect(measure(Buffer.alloc(160_000), 999)).toBe(10);
  expect(measure(flac(10, false), 999)).toBeCloseTo(10, 0);
  expect(measure(Buffer.alloc(0), 1)).toBe(0);
  expect(measure(Buffer.from('no'), 1)).toBeLessThan(0.01);
});
