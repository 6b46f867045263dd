import { noUsage, type Usage } from '@relay-hub/contract';

/** Parameters of an image request that its price depends on. */
export interface ImageRequest {
  model: string;
  promptTokens: number;
  images: number;
  size: string | undefined;
  quality: string | undefined;
  style: string | undefined;
}

/**
 * Usage assumed for an image request: reserved before the call, and charged if the upstream reports none. A model
 * billed per image counts 1,000 tokens per image, scaled by size and quality.
 */
export function assumedImages(request: ImageRequest): Usage {
  const { model, promptTokens, images } = request;
  if (/^(?:chat)?gpt-image/.test(model))
    return { ...noUsage, input: promptTokens, outputImage: images * tokensOfImage(request), units: images };
  return { ...noUsage, input: Math.floor(factorOf(request) * 1000) * images, units: images };
}

const dallE2 = new Map([
  ['256x256', 1],
  ['512x512', 1.125],
]);

function factorOf({ model, size = '1024x1024', quality, style }: ImageRequest): number {
  if (model === 'dall-e-2') return dallE2.get(size) ?? 1.25;
  if (model === 'dall-e-3') {
    const square = size !== '1024x1792' && size !== '1792x1024';
    return (square ? 1 : 2) * (quality === 'hd' ? (square ? 2 : 1.5) : 1);
  }
  return style === 'vector_illustration' && /^recraft(?:20b|v3)$/.test(model) ? 2 : 1;
}

/** Output tokens of a square image; other formats take 1.5 times as many. */
const byQuality = new Map([
  ['low', 272],
  ['medium', 1056],
  ['high', 4160],
]);

function tokensOfImage({ size, quality = 'auto' }: ImageRequest): number {
  const square = byQuality.get(quality) ?? 4160;
  return size === undefined || size === 'auto' || size === '1024x1024' ? square : square * 1.5;
}

/**
 * Usage of a reply with `made` images. Without reported tokens it is charged per image, at most the number requested.
 */
export function chargedImages(reported: Usage | undefined, made: number, assumed: Usage): Usage {
  const units = Math.min(made, assumed.units);
  const { units: _, ...tokens } = reported ?? noUsage;
  if (reported && Object.values(tokens).some((count) => count > 0)) return { ...reported, units };
  const share = assumed.units > 0 ? units / assumed.units : 1;
  return {
    ...assumed,
    input: Math.round(assumed.input * share),
    outputImage: Math.round(assumed.outputImage * share),
    units,
  };
}

/** Parameters of a speech request that its price depends on. */
export interface SpeechRequest {
  model: string;
  input: string;
  speed: number | undefined;
}

/**
 * Models whose audio is charged by tokens that a reply without events does not report. OpenAI sells $12 per million of
 * them as $0.015 a minute: https://platform.openai.com/docs/pricing, and 20 a second were measured.
 */
const soldByAudio: readonly (readonly [model: RegExp, tokensPerSecond: number])[] = [
  [/(?:^|\/)gpt-4o-mini-tts(?:-\d|$)/, 1250 / 60],
  // https://ai.google.dev/gemini-api/docs/tokens
  [/(?:^|\/)gemini-[\w.-]+-tts\b/, 25],
];
/** Instructions can ask for slow speech, so this multiple of the usual duration is reserved. */
const SLOWEST = 2.5;

/**
 * Speech is charged by characters, as prompt tokens; where the vendor sells the audio, also by its length. That is
 * unknown before the call, so the longest is assumed.
 */
export function assumedSpeech({ model, input, speed = 1 }: SpeechRequest): Usage {
  let characters = 0;
  for (const _ of input) characters++;
  const [, perSecond] = soldByAudio.find(([sold]) => sold.test(model)) ?? [];
  if (perSecond === undefined) return { ...noUsage, input: characters };
  const seconds = (secondsToSay(input) * SLOWEST) / Math.min(1, Math.max(0.25, speed));
  return { ...noUsage, input: characters, outputAudio: Math.ceil(seconds * perSecond) };
}

/** Usual duration: about 15 letters a second, but five digits or Chinese characters. */
function secondsToSay(input: string): number {
  let seconds = 1;
  for (const character of input) seconds += /[\d\u2e80-\u{10ffff}]/u.test(character) ? 1 / 5 : 1 / 15;
  return seconds;
}

/** Only OpenAI's audio is measured: Google reports its tokens. */
const MEASURED_TOKENS_PER_SECOND = 1250 / 60;

/** Usage of speech with a measured duration, at most the assumed one; undefined: unknown, so the usual one. */
export function chargedSpeech(assumed: Usage, seconds: number | undefined): Usage {
  if (assumed.outputAudio === 0) return assumed;
  const tokens = seconds === undefined ? assumed.outputAudio / SLOWEST : seconds * MEASURED_TOKENS_PER_SECOND;
  return { ...assumed, outputAudio: Math.min(assumed.outputAudio, Math.ceil(tokens)) };
}

/** Typical rate of compressed speech. */
const BYTES_PER_SECOND = 16_000;
/** PCM: at most 96,000 samples a second, three bytes each, two channels. */
const MAX_PCM_RATE = 576_000;
/** Compressed WAV files hold speech. */
const MAX_COMPRESSED_RATE = 48_000;
const MIN_RATE = 1000;
const sampled = new Set([1, 3, 0xfffe]);

/** Estimated duration: exact for a WAV file, by a typical rate for other formats. */
export function assumedAudio(head: Buffer, length: number): Usage {
  return { ...noUsage, audioSeconds: Math.ceil(length / (wavBytesPerSecond(head) ?? BYTES_PER_SECOND)) };
}

/** Upper bound of a duration: exact for a WAV file; for other formats one second per byte, as for silence. */
export function maxAudioSeconds(head: Buffer, length: number): number {
  const rate = wavBytesPerSecond(head);
  return rate === undefined ? Math.max(1, length) : Math.ceil(length / rate);
}

/**
 * Bytes per second by a WAV header, limited to plausible values, so a false header changes little. PCM headers state
 * the rate twice; decoders use the second. Undefined: not a WAV file.
 */
function wavBytesPerSecond(head: Buffer): number | undefined {
  if (head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WAVE') return undefined;
  const at = head.indexOf('fmt ', 12, 'latin1');
  if (at < 0 || head.length < at + 24) return undefined;
  if (!sampled.has(head.readUInt16LE(at + 8)))
    return Math.min(MAX_COMPRESSED_RATE, Math.max(MIN_RATE, head.readUInt32LE(at + 16)));
  const [channels, perSecond, bits] = [
    head.readUInt16LE(at + 10),
    head.readUInt32LE(at + 12),
    head.readUInt16LE(at + 22),
  ];
  return Math.min(MAX_PCM_RATE, Math.max(MIN_RATE, (channels * perSecond * bits) / 8));
}
