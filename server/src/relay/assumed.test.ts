import { noUsage } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { assumedImages, assumedSound, assumedSpeech, imagesTold } from './assumed.ts';

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

test('what is told of images wins, and one that tells no tokens is charged by those that came', () => {
  const assumed = assumedImages({ ...asked, model: 'imagen', images: 4 });
  const told = { ...noUsage, input: 7, outputImage: 100, units: 2 };
  expect(imagesTold(told, 0, assumed)).toEqual(told);
  expect(imagesTold({ ...told, units: 0 }, 3, assumed)).toEqual({ ...told, units: 3 });
  expect(imagesTold({ ...noUsage, units: 3 }, 0, assumed)).toEqual({ ...noUsage, input: 3000, units: 3 });
  expect(imagesTold(undefined, 1, assumed)).toEqual({ ...noUsage, input: 1000, units: 1 });
  expect(imagesTold(undefined, 0, assumed)).toEqual(assumed);
});

test('speech counts characters, not bytes, and sound seconds', () => {
  expect(assumedSpeech('Grüße 👋').input).toBe(7);
  const wave = Buffer.alloc(44 + 64_000);
  wave.write('RIFF', 0, 'latin1');
  wave.write('WAVE', 8, 'latin1');
  wave.writeUInt32LE(32_000, 28);
  expect(assumedSound(wave, wave.length).audioSeconds).toBe(3);
  expect(assumedSound(wave.subarray(0, 64), wave.length).audioSeconds).toBe(3);
  wave.writeUInt32LE(1, 28);
  expect(assumedSound(wave, wave.length).audioSeconds).toBe(65);
  expect(assumedSound(Buffer.alloc(64), 160_000).audioSeconds).toBe(10);
});
