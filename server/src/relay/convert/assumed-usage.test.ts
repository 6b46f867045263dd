import { noUsage } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { assumedAudio, assumedImages, assumedSpeech, chargedImages } from '#relay/dialects/assumed-usage.ts';

const asked = { promptTokens: 5, images: 1, size: undefined, quality: undefined, style: undefined };

test.each([
  ['dall-e-2', { size: '256x256' }, 1000],
  ['dall-e-2', { size: '512x512' }, 1125],
  ['dall-e-2', {}, 1250],
  ['dall-e-2', { size: 'constructor' }, 1250],
  ['dall-e-3', {}, 1000],
  ['dall-e-3', { quality: 'hd' }, 2000],
  ['dall-e-3', { size: '1792x1024' }, 2000],
  ['dall-e-3', { size: '1024x1792', quality: 'hd' }, 3000],
  ['recraftv3', { style: 'vector_illustration' }, 2000],
  ['anything', { style: 'vector_illustration', images: 4 }, 4000],
])('images of %s, asked for as %j, count %d', (model, more, input) => {
  const images = 'images' in more ? more.images : 1;
  expect(assumedImages({ ...asked, model, ...more })).toEqual({ ...noUsage, input, units: images });
});

test.each([
  [{}, 4160],
  [{ quality: 'low' }, 272],
  [{ quality: 'medium', size: '1024x1536', images: 2 }, 3168],
])('images that are billed by tokens, asked for as %j, are taken for %d', (more, outputImage) => {
  const usage = assumedImages({ ...asked, model: 'gpt-image-1', ...more });
  expect(usage).toEqual({ ...noUsage, input: 5, outputImage, units: 'images' in more ? more.images : 1 });
});

test('reported image usage wins; without tokens, images are charged by count', () => {
  const assumed = assumedImages({ ...asked, model: 'imagen', images: 4 });
  const told = { ...noUsage, input: 7, outputImage: 100, units: 2 };
  expect(chargedImages(told, 2, assumed)).toEqual(told);
  expect(chargedImages({ ...told, units: 0 }, 3, assumed)).toEqual({ ...told, units: 3 });
  expect(chargedImages({ ...noUsage, units: 50 }, 3, assumed)).toEqual({ ...noUsage, input: 3000, units: 3 });
  expect(chargedImages(undefined, 1, assumed)).toEqual({ ...noUsage, input: 1000, units: 1 });
});

test('more images than were asked for are charged as asked', () => {
  const assumed = assumedImages({ ...asked, model: 'dall-e-2', images: 2, size: '256x256' });
  expect(chargedImages(undefined, 50, assumed)).toEqual({ ...noUsage, input: 2000, units: 2 });
  expect(chargedImages({ ...noUsage, input: 7, units: 50 }, 50, assumed)).toEqual({ ...noUsage, input: 7, units: 2 });
});

/** Start of a WAV file: `format` 1 is PCM, 2 is compressed. */
function waveHead(perSecond: number, channels: number, bits: number, format = 1, rate = 0xffff_ffff): Buffer {
  const head = Buffer.alloc(64);
  head.write('RIFF', 0, 'latin1');
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt16LE(format, 20);
  head.writeUInt16LE(channels, 22);
  head.writeUInt32LE(perSecond, 24);
  head.writeUInt32LE(rate, 28);
  head.writeUInt16LE(bits, 34);
  return head;
}

test('speech counts characters, not bytes', () => {
  expect(assumedSpeech({ model: 'tts-1', input: 'Grüße 👋', speed: undefined }).input).toBe(7);
});

const MIB = 1024 * 1024;

test.each<[what: string, head: Buffer, length: number, seconds: number]>([
  ['samples', waveHead(16_000, 1, 16), 64_044, 3],
  ['of two channels', waveHead(48_000, 2, 16), 192_000, 1],
  [
    'behind another part',
    Buffer.from(waveHead(16_000, 1, 16).toString('latin1').replace('WAVE', 'WAVEbext\0\0\0\0'), 'latin1'),
    64_000,
    2,
  ],
  ['compressed', waveHead(8000, 1, 4, 2, 4000), 8000, 2],
  ['a head that claims to be endless', waveHead(1, 1, 1), 64_000, 64],
  ['and one that claims to be over at once', waveHead(0xffff_ffff, 0xffff, 0xffff), 100 * MIB, 183],
  ['the same, compressed', waveHead(0, 0, 0, 2), 100 * MIB, 2185],
  ['a head that is cut', waveHead(16_000, 1, 16).subarray(0, 30), 160_000, 10],
  ['no WAV file', Buffer.alloc(64), 160_000, 10],
])('sound counts seconds: %s', (_, head, length, seconds) => {
  expect(assumedAudio(head, length).audioSeconds).toBe(seconds);
});
