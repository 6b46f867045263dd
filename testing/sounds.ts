import { Buffer } from 'node:buffer';

/** Sounds of silence in the formats of speech endpoints, with valid frames and headers. */

/** Layer III, 128 kbit/s at 44.1 kHz. */
export function mp3(seconds: number): Buffer {
  const frame = Buffer.alloc(417);
  Buffer.from([0xff, 0xfb, 0x90, 0xc4]).copy(frame);
  return repeated(frame, Math.round((seconds * 44_100) / 1152));
}

/** ADTS frames of 200 bytes at 24 kHz. */
export function aac(seconds: number): Buffer {
  const size = 200;
  const frame = Buffer.alloc(size);
  Buffer.from([0xff, 0xf1, 0x58, 0x40 | (size >> 11), (size >> 3) & 0xff, ((size & 7) << 5) | 0x1f, 0xfc]).copy(frame);
  return repeated(frame, Math.round((seconds * 24_000) / 1024));
}

/** Ogg pages of half a second. */
export function opus(seconds: number): Buffer {
  const page = (samples: number, content: Buffer): Buffer => {
    const head = Buffer.alloc(28);
    head.write('OggS');
    head.writeBigInt64LE(BigInt(samples), 6);
    head.writeUInt8(1, 26);
    head.writeUInt8(content.length, 27);
    return Buffer.concat([head, content]);
  };
  const pages = Array.from({ length: seconds * 2 }, (_, n) => page((n + 1) * 24_000, Buffer.alloc(200)));
  return Buffer.concat([page(0, Buffer.from('OpusHead-and-so-on')), page(0, Buffer.from('OpusTags')), ...pages]);
}

/** 24 kHz, 16 bits, one channel; of unknown size, since it is streamed. */
export function wav(seconds: number): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF');
  head.writeUInt32LE(0xffffffff, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(24_000, 24);
  head.writeUInt32LE(48_000, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(0xffffffff, 40);
  return Buffer.concat([head, Buffer.alloc(seconds * 48_000)]);
}

/** 24 kHz, 16 bits, one channel; a streamed file does not know its number of samples. */
export function flac(seconds: number, knowsLength: boolean): Buffer {
  const head = Buffer.alloc(42);
  head.write('fLaC');
  head.writeUInt8(0x80, 4);
  head.writeUIntBE(34, 5, 3);
  head.writeUIntBE(24_000 << 4, 18, 3);
  head.writeUInt8(head.readUInt8(20) | (15 >> 4), 20);
  head.writeUInt8((15 & 15) << 4, 21);
  head.writeUInt32BE(knowsLength ? seconds * 24_000 : 0, 22);
  return Buffer.concat([head, Buffer.alloc(seconds * 28_800)]);
}

const repeated = (frame: Buffer, count: number): Buffer => Buffer.concat(Array.from({ length: count }, () => frame));
