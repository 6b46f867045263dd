/** Sound without a container, as Gemini and OpenAI's streams give it: 16 bits, little-endian, one channel. */
export const PCM = 'audio/L16;codec=pcm;rate=24000';

const USUAL_RATE = 24_000;
const BYTES_PER_SAMPLE = 2;
/** Gemini counts 25 tokens a second of its sound. */
const BYTES_PER_TOKEN = (USUAL_RATE * BYTES_PER_SAMPLE) / 25;

export const isSound = (mime: string): boolean => /^audio\//i.test(mime);

/** Samples a second of sound without a container; undefined: another format. */
export function pcmRate(mime: string): number | undefined {
  if (!/^audio\/(?:l16|pcm|x-pcm)(?:;|$)/i.test(mime)) return undefined;
  return Number(/rate=(\d{4,6})/.exec(mime)?.[1] ?? USUAL_RATE);
}

/** Estimated tokens of a sound in base64. */
export const soundTokens = (base64: string): number => Math.ceil((base64.length * 0.75) / BYTES_PER_TOKEN);

/** A WAV file of samples without a container. */
export function wavOf(pcm: Buffer, rate: number): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + pcm.length, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * BYTES_PER_SAMPLE, 28);
  head.writeUInt16LE(BYTES_PER_SAMPLE, 32);
  head.writeUInt16LE(8 * BYTES_PER_SAMPLE, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(pcm.length, 40);
  return Buffer.concat([head, pcm]);
}
