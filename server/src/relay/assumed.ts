import { noUsage, type Usage } from '@relay-hub/contract';

/** What is asked of a model that makes images. */
export interface ImagesAsked {
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
export function assumedImages(asked: ImagesAsked): Usage {
  const { model, promptTokens, images } = asked;
  if (/^(?:chat)?gpt-image/.test(model))
    return { ...noUsage, input: promptTokens, outputImage: images * tokensOfImage(asked), units: images };
  return { ...noUsage, input: Math.floor(factorOf(asked) * 1000) * images, units: images };
}

const dallE2: Readonly<Record<string, number>> = { '256x256': 1, '512x512': 1.125 };

function factorOf({ model, size = '1024x1024', quality, style }: ImagesAsked): number {
  if (model === 'dall-e-2') return Object.hasOwn(dallE2, size) ? dallE2[size]! : 1.25;
  if (model === 'dall-e-3') {
    const square = size !== '1024x1792' && size !== '1792x1024';
    return (square ? 1 : 2) * (quality === 'hd' ? (square ? 2 : 1.5) : 1);
  }
  return style === 'vector_illustration' && /^recraft(?:20b|v3)$/.test(model) ? 2 : 1;
}

/** Of a square; longer ones take half as much again. */
const byQuality: Readonly<Record<string, number>> = { low: 272, medium: 1056, high: 4160 };

function tokensOfImage({ size, quality = 'auto' }: ImagesAsked): number {
  const square = Object.hasOwn(byQuality, quality) ? byQuality[quality]! : 4160;
  return size === undefined || size === 'auto' || size === '1024x1024' ? square : square * 1.5;
}

/** What images used by what the upstream told: one that tells no tokens is charged by the image. */
export function imagesTold(told: Usage | undefined, made: number, assumed: Usage): Usage {
  const units = told?.units || made || assumed.units;
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

/** Seconds of a sound by its first bytes and its length: of a WAV file as its head says, of others about. */
export function assumedSound(head: Buffer, length: number): Usage {
  const isWave =
    head.length >= 44 && head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WAVE';
  // A head that lies can only make the sound longer or shorter, not endless.
  const rate = isWave ? Math.max(1000, head.readUInt32LE(28)) : BYTES_PER_SECOND;
  return { ...noUsage, audioSeconds: Math.ceil(length / rate) };
}
