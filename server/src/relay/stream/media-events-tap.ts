import type { Usage } from '@relay-hub/contract';
import { objectOf } from '#json.ts';
import { errorIn, parseObject, usageIn } from '#relay/body/json-reply.ts';
import type { UsageFormat } from '#usage/usage-format.ts';
import { LastByte } from './last-byte.ts';
import type { StreamTap } from '#relay/types/stream-types.ts';

/** End of one image, transcript or audio clip. Safe to search for: texts escape quotes, and base64 has no dots. */
const END = /"type"\s*:\s*"[\w.]+\.(?:done|completed)"/g;
const ERROR = /"type"\s*:\s*"error"|"error"\s*:\s*[{"]/;

/** At least the length of the longest marker. */
const OVERLAP = 96;
/** Bytes kept of the stream's end, where usage is reported. */
const TAIL = 16 * 1024;

/**
 * Passes events of images, transcripts and audio on as they arrive, except for the last byte. An event can hold a whole
 * image, so no event is buffered: only its markers and the usage at the end are searched for.
 */
export class MediaEventsTap implements StreamTap {
  readonly finishReason = undefined;
  readonly done = false;
  error: string | undefined;
  readonly #format: UsageFormat;
  readonly #ofImages: boolean;
  readonly #bytes = new LastByte();
  #tail = Buffer.alloc(0);
  /** Length of the tail that has been searched. */
  #searched = 0;
  /** Number of end markers. */
  #ended = 0;

  constructor(format: UsageFormat, ofImages = false) {
    this.#format = format;
    this.#ofImages = ofImages;
  }

  push(chunk: Buffer): Buffer | undefined {
    if (this.error !== undefined || chunk.length === 0) return undefined;
    this.#search(chunk);
    if (this.error === undefined) return this.#bytes.push(chunk);
    // An upstream's error text may contain secrets; the event that ends the stream repeats it masked.
    this.#bytes.drop();
    return undefined;
  }

  flush(): Buffer | undefined {
    return this.#bytes.flush();
  }

  images(): number | undefined {
    return this.#ofImages ? this.#ended : undefined;
  }

  usage(): Usage | undefined {
    const usage = objectOf(usageIn(this.#tail));
    return usage && this.#format.read({ ...usage, images: this.#ended });
  }

  /** The marker comes before a possibly long event, so the stream must also end after a whole event. */
  get endsWithConnection(): boolean {
    return this.#ended > 0 && /[}\]]\s*$/.test(this.#tail.toString('latin1'));
  }

  estimatedOutput(): number {
    return this.#bytes.hasPassed ? 1 : 0;
  }

  #search(chunk: Buffer): void {
    const seen = Buffer.concat([this.#tail, chunk]);
    const from = Math.max(0, this.#searched - OVERLAP);
    const text = seen.toString('latin1', from);
    for (const found of text.matchAll(END)) if (from + found.index + found[0].length > this.#searched) this.#ended++;
    const at = ERROR.exec(text)?.index;
    if (at !== undefined) this.error = errorAt(seen, from + at);
    this.#tail = seen.subarray(-TAIL);
    this.#searched = this.#tail.length;
  }
}

/** The error message of the event that holds the marker. */
function errorAt(bytes: Buffer, mark: number): string {
  const start = bytes.lastIndexOf('\n', mark) + 1;
  const end = bytes.indexOf('\n', mark);
  const line = bytes.toString('utf8', start, end < 0 ? bytes.length : end);
  const json = parseObject(line.slice(line.indexOf('{')));
  const message = json?.['message'];
  return (json && errorIn(json)) ?? (typeof message === 'string' ? message : 'error');
}
