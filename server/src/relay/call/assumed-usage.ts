import { noUsage, type Usage } from '@relay-hub/contract';

/** What is asked of a model that makes images. */
export interface ImageRequest {
  model: string;
  promptTokens: number;
  images: number;
  size: string | undefined;
  quality: string | undefined;
  style: string | undefined;
}

/**
 * What images are taken to use: before the call, and after it where the upstream tells nothing. A model that is billed
 * by the image counts a thousand tokens for each, times how much dearer its size and quality are.
 */
export function assumedImages(asked: ImageRequest): Usage {
  const { model, promptTokens, images } = asked;
  if (/^(?:chat)?gpt-image/.test(model))
    return { ...noUsage, input: promptTokens, outputImage: images * tokensOfImage(asked), units: images };
  return { ...noUsage, input: Math.floor(factorOf(asked) * 1000) * images, units: images };
}

const dallE2: Readonly<Record<string, number>> = { '256x256': 1, '512x512': 1.125 };

function factorOf({ model, size = '1024x1024', quality, style }: ImageRequest): number {
  if (model === 'dall-e-2') return Object.hasOwn(dallE2, size) ? dallE2[size]! : 1.25;
  if (model === 'dall-e-3') {
    const square = size !== '1024x1792' && size !== '1792x1024';
    return (square ? 1 : 2) * (quality === 'hd' ? (square ? 2 : 1.5) : 1);
  }
  return style === 'vector_illustration' && /^recraft(?:20b|v3)$/.test(model) ? 2 : 1;
}

/** Of a square; longer ones take half as much again. */
const byQuality: Readonly<Record<string, number>> = { low: 272, medium: 1056, high: 4160 };

function tokensOfImage({ size, quality = 'auto' }: ImageRequest): number {
  const square = Object.hasOwn(byQuality, quality) ? byQuality[quality]! : 4160;
  return size === undefined || size === 'auto' || size === '1024x1024' ? square : square * 1.5;
}

/**
 * What an answer with `made` images used: one that tells no tokens is charged by the image, and no more images than were
 * asked for.
 */
export function chargedImages(told: Usage | undefined, made: number, assumed: Usage): Usage {
  const units = Math.min(made, assumed.units);
  const { units: _, ...tokens } = told ?? noUsage;
  if (told && Object.values(tokens).some((count) => count > 0)) return { ...told, units };
  const share = assumed.units > 0 ? units / assumed.units : 1;
  return {
    ...assumed,
    input: Math.round(assumed.input * share),
    outputImage: Math.round(assumed.outputImage * share),
    units,
  };
}

/** Characters, whatever they take in bytes, are charged as tokens of the prompt. */
export function assumedSpeech(input: string): Usage {
  let characters = 0;
  for (const _ of input) characters++;
  return { ...noUsage, input: characters };
}

/** A common rate of compressed speech. */
const BYTES_PER_SECOND = 16_000;
/** Samples as they are: up to 96,000 a second of three bytes each, in two channels. */
const MOST_OF_SAMPLES = 576_000;
/** What is compressed within a WAV file is for speech. */
const MOST_COMPRESSED = 48_000;
const LEAST = 1000;
const sampled = new Set([1, 3, 0xfffe]);

/** Seconds of a sound by its first bytes and its length: of a WAV file as its head says, of others about. */
export function assumedAudio(head: Buffer, length: number): Usage {
  return { ...noUsage, audioSeconds: Math.ceil(length / (wavBytesPerSecond(head) ?? BYTES_PER_SECOND)) };
}

/** How many seconds a sound can have at most: a WAV file as its head says, others a second a byte, as silence can be. */
export function maxAudioSeconds(head: Buffer, length: number): number {
  const rate = wavBytesPerSecond(head);
  return rate === undefined ? Math.max(1, length) : Math.ceil(length / rate);
}

/**
 * Bytes a second by the head of a WAV file, within what such files have: one that lies makes a sound a little longer or
 * shorter. Of samples the head tells the rate twice; what counts is what decoders go by. Undefined: it is no such file.
 */
function wavBytesPerSecond(head: Buffer): number | undefined {
  if (head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WAVE') return undefined;
  const at = head.indexOf('fmt ', 12, 'latin1');
  if (at < 0 || head.length < at + 24) return undefined;
  if (!sampled.has(head.readUInt16LE(at + 8)))
    return Math.min(MOST_COMPRESSED, Math.max(LEAST, head.readUInt32LE(at + 16)));
  const [channels, perSecond, bits] = [
    head.readUInt16LE(at + 10),
    head.readUInt32LE(at + 12),
    head.readUInt16LE(at + 22),
  ];
  return Math.min(MOST_OF_SAMPLES, Math.max(LEAST, (channels * perSecond * bits) / 8));
}
