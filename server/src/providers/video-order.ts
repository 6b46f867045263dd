import type { Json } from '#json.ts';

/** A picture, video or sound that a request refers to: an address, or its bytes in base64. */
export type MediaInput = { url: string } | { base64: string; type: string };

/**
 * A request for a video (or, from vendors that share the path, an image), independent of dialect and vendor. A dialect
 * fills in what its caller said; a vendor's adapter refuses with `BadTaskRequest` what it cannot do and never drops it.
 */
export interface VideoOrder {
  /** `generate` with any of the inputs below; the others change the video of `parent` or of `video`. */
  kind: 'generate' | 'remix' | 'edit' | 'extend';
  prompt: string;
  negativePrompt?: string | undefined;
  /** Left out: the adapter's default, which it names in its quote. */
  seconds?: number | undefined;
  /** `720p`, `1080p`, `4k` and the like, lower case. */
  resolution?: string | undefined;
  /** `16:9` and the like. */
  ratio?: string | undefined;
  /** Pixels, if the caller gave a size; `resolution` and `ratio` are then derived from it. */
  size?: { width: number; height: number } | undefined;
  /** Vendor's word for quality, such as `std` and `pro`. */
  quality?: string | undefined;
  firstFrame?: MediaInput | undefined;
  lastFrame?: MediaInput | undefined;
  references?: readonly MediaInput[] | undefined;
  video?: MediaInput | undefined;
  /** Whether the video has sound. */
  audio?: boolean | undefined;
  seed?: number | undefined;
  /**
   * Parameters in the vendor's own names (`metadata` of the generic dialect). An adapter takes those on its allow list
   * and refuses those that would change the price or an address.
   */
  extra?: Json | undefined;
}

/** The vendor cannot do what a request says; becomes a 400. */
export class BadTaskRequest extends Error {
  /** Name of the field, in canonical terms. */
  readonly param: string;
  constructor(message: string, param: string) {
    super(message);
    this.param = param;
  }
}
