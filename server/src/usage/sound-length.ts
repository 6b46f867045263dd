import { Buffer } from 'node:buffer';

/** Raw samples as OpenAI delivers them: 24 kHz, 16 bits, one channel. */
const PCM_RATE = 48_000;
/** Typical rate of compressed speech, for unknown formats. */
const USUAL_RATE = 16_000;
/** Enough to recognise a format, and for the headers of WAV and FLAC. */
const HEAD_BYTES = 64;

/** A frame or page of audio. */
interface SoundUnit {
  bytes: number;
  seconds: number;
}

/** Reads the unit that begins at an offset; `more`: its header is incomplete; undefined: none begins there. */
type ReadUnit = (data: Buffer, at: number) => SoundUnit | 'more' | undefined;

/**
 * Measures the duration of audio while it arrives, by its frames (MP3, AAC, Opus) or its header (WAV, FLAC); of raw
 * samples and unknown formats by their bytes.
 */
export class SoundLength {
  readonly #isRaw: boolean;
  #head = Buffer.alloc(0);
  #bytes = 0;
  #frames: FrameWalk | undefined;

  constructor(isRaw = false) {
    this.#isRaw = isRaw;
  }

  push(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#frames) return this.#frames.push(chunk);
    if (this.#head.length >= HEAD_BYTES || this.#isRaw) return;
    this.#head = Buffer.concat([this.#head, chunk]);
    if (this.#head.length >= HEAD_BYTES) this.#recognise();
  }

  get seconds(): number {
    if (this.#isRaw) return this.#bytes / PCM_RATE;
    if (!this.#frames && this.#head.length < HEAD_BYTES) this.#recognise();
    const measured = this.#frames?.seconds ?? 0;
    if (measured > 0) return measured;
    return secondsByHeader(this.#head, this.#bytes) ?? this.#bytes / USUAL_RATE;
  }

  #recognise(): void {
    const head = this.#head;
    const read = head.toString('latin1', 0, 4) === 'OggS' ? oggPages() : isFramed(head) ? frame : undefined;
    if (!read) return;
    this.#frames = new FrameWalk(read);
    this.#frames.push(head);
  }
}

/** Adds up frames that chunks cut anywhere. */
class FrameWalk {
  seconds = 0;
  readonly #read: ReadUnit;
  #rest = Buffer.alloc(0);
  /** Bytes left of the current frame. */
  #skip = 0;

  constructor(read: ReadUnit) {
    this.#read = read;
  }

  push(chunk: Buffer): void {
    const data = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    let at = 0;
    for (;;) {
      const skipped = Math.min(this.#skip, data.length - at);
      at += skipped;
      this.#skip -= skipped;
      if (at >= data.length) break;
      const unit = this.#read(data, at);
      if (unit === 'more') break;
      // Damaged audio is searched for the next frame.
      if (unit === undefined) at++;
      else {
        this.seconds += unit.seconds;
        this.#skip = unit.bytes;
      }
    }
    this.#rest = Buffer.from(data.subarray(at));
  }
}

const isFramed = (head: Buffer): boolean =>
  head.toString('latin1', 0, 3) === 'ID3' || typeof frame(head, 0) === 'object';

/** ID3 tag, AAC frame (ADTS) or MP3 frame. */
function frame(data: Buffer, at: number): SoundUnit | 'more' | undefined {
  if (data.length - at < 10) return 'more';
  if (data.toString('latin1', at, at + 3) === 'ID3') return { bytes: 10 + tagSize(data, at + 6), seconds: 0 };
  const second = data.readUInt8(at + 1);
  if (data.readUInt8(at) !== 0xff || (second & 0xe0) !== 0xe0) return undefined;
  return (second & 0xf6) === 0xf0 ? aacFrame(data, at) : mp3Frame(data, at);
}

/** Four times seven bits. */
const tagSize = (data: Buffer, at: number): number =>
  (data.readUInt8(at) << 21) | (data.readUInt8(at + 1) << 14) | (data.readUInt8(at + 2) << 7) | data.readUInt8(at + 3);

const aacRates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350];

function aacFrame(data: Buffer, at: number): SoundUnit | undefined {
  const rate = aacRates[(data.readUInt8(at + 2) >> 2) & 15];
  const bytes = (data.readUIntBE(at + 3, 3) >> 5) & 0x1fff;
  const blocks = (data.readUInt8(at + 6) & 3) + 1;
  return rate === undefined || bytes < 7 ? undefined : { bytes, seconds: (1024 * blocks) / rate };
}

/** Kilobits per second of layer III. */
const mpeg1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const mpeg2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const mpeg1Rates = [44_100, 48_000, 32_000];

function mp3Frame(data: Buffer, at: number): SoundUnit | undefined {
  const [second, third] = [data.readUInt8(at + 1), data.readUInt8(at + 2)];
  const version = (second >> 3) & 3;
  const isFirst = version === 3;
  const kilobits = (isFirst ? mpeg1 : mpeg2)[third >> 4];
  const full = mpeg1Rates[(third >> 2) & 3];
  if (((second >> 1) & 3) !== 1 || version === 1 || !kilobits || full === undefined) return undefined;
  const rate = full / (isFirst ? 1 : version === 2 ? 2 : 4);
  const samples = isFirst ? 1152 : 576;
  const padding = (third >> 1) & 1;
  return { bytes: Math.floor((samples * kilobits * 125) / rate) + padding, seconds: samples / rate };
}

const OPUS_RATE = 48_000;

/** Pages of Ogg Opus, each of which says how many samples have come so far. */
function oggPages(): ReadUnit {
  let before = 0;
  return (data, at) => {
    if (data.length - at < 27) return 'more';
    if (data.toString('latin1', at, at + 4) !== 'OggS') return undefined;
    const segments = data.readUInt8(at + 26);
    if (data.length - at < 27 + segments) return 'more';
    let bytes = 27 + segments;
    for (let n = 0; n < segments; n++) bytes += data.readUInt8(at + 27 + n);
    const samples = Math.max(before, Number(data.readBigInt64LE(at + 6)));
    const seconds = (samples - before) / OPUS_RATE;
    before = samples;
    return { bytes, seconds };
  };
}

/** WAV: bytes by their rate. FLAC: the number of samples, or bytes at a usual compression. */
function secondsByHeader(head: Buffer, bytes: number): number | undefined {
  const magic = head.toString('latin1', 0, 4);
  if (magic === 'RIFF' && head.length >= 44) {
    const rate = head.readUInt32LE(28);
    return rate >= 1000 && rate <= 600_000 ? Math.max(0, bytes - 44) / rate : undefined;
  }
  if (magic !== 'fLaC' || head.length < 26) return undefined;
  const rate = head.readUIntBE(18, 3) >> 4;
  if (rate === 0) return undefined;
  const samples = (head.readUInt8(21) & 15) * 2 ** 32 + head.readUInt32BE(22);
  const sampleBytes = 2 * (((head.readUInt8(20) >> 1) & 7) + 1);
  return samples > 0 ? samples / rate : bytes / (rate * sampleBytes * 0.6);
}
