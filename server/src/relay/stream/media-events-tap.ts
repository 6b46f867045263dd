import type { Usage } from '@relay-hub/contract';
import { errorIn, parseObject, usageIn } from '#relay/convert/json-reply.ts';
import { objectOf } from '#usage/counts.ts';
import type { UsageFormat } from '#usage/usage-format.ts';
import type { StreamTap } from './types.ts';

/** What ends one image, a text or a sound: a quote inside of a text would be escaped, and base64 has no dots. */
const END = /"type"\s*:\s*"[\w.]+\.(?:done|completed)"/g;
const ERROR = /"type"\s*:\s*"error"|"error"\s*:\s*[{"]/;

/** The longest mark. */
const OVERLAP = 96;
/** The end of an event, where its usage stands. */
const TAIL = 16 * 1024;

/**
 * Lets events of images, texts and sounds through as they come, but for the last byte, which leaves when it is charged.
 * An event can be an image long, so none is kept whole: marks are looked for, and usage at the end.
 */
export class MediaEventsTap implements StreamTap {
  readonly finishReason = undefined;
  readonly done = false;
  error: string | undefined;
  readonly #format: UsageFormat;
  #kept: Buffer | undefined;
  #tail = Buffer.alloc(0);
  /** How much of the tail was searched. */
  #searched = 0;
  /** Marks of an end that were found. */
  #ended = 0;
  #passed = false;

  readonly #ofImages: boolean;

  constructor(format: UsageFormat, ofImages = false) {
    this.#format = format;
    this.#ofImages = ofImages;
  }

  push(chunk: Buffer): Buffer | undefined {
    if (this.error !== undefined || chunk.length === 0) return undefined;
    this.#search(chunk);
    // The upstream's own words about an error can hold its secrets; what ends the stream tells them masked.
    if (this.error !== undefined) return (this.#kept = undefined);
    const before = this.#kept;
    this.#kept = chunk.subarray(-1);
    const passed = chunk.subarray(0, -1);
    if (!before && passed.length === 0) return undefined;
    this.#passed = true;
    return before ? Buffer.concat([before, passed]) : passed;
  }

  flush(): Buffer | undefined {
    return this.#kept;
  }

  images(): number | undefined {
    return this.#ofImages ? this.#ended : undefined;
  }

  usage(): Usage | undefined {
    const usage = objectOf(usageIn(this.#tail));
    return usage && this.#format.read({ ...usage, images: this.#ended });
  }

  /** The mark stands at the start of what can be long, so the connection has to end well, behind a whole event. */
  get endsWithConnection(): boolean {
    return this.#ended > 0 && /[}\]]\s*$/.test(this.#tail.toString('latin1'));
  }

  estimatedOutput(): number {
    return this.#passed ? 1 : 0;
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

/** What the event says in whose line a mark of an error stands. */
function errorAt(bytes: Buffer, mark: number): string {
  const start = bytes.lastIndexOf('\n', mark) + 1;
  const end = bytes.indexOf('\n', mark);
  const line = bytes.toString('utf8', start, end < 0 ? bytes.length : end);
  const json = parseObject(line.slice(line.indexOf('{')));
  const message = json?.['message'];
  return (json && errorIn(json)) ?? (typeof message === 'string' ? message : 'error');
}
