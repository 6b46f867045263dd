import * as z from 'zod/mini';
import { ratio } from '../values.ts';

/**
 * Multiples of the input or output ratio for kinds of tokens with a different price.
 * `extraRatio` has the defaults.
 */
export const extraRatios = z.object({
  /** Cached part of the prompt (OpenAI, Gemini, DeepSeek …); × input. */
  cached_tokens_ratio: z.optional(ratio),
  /** Its sound and pictures, where reported apart; as cached text unless set. */
  cached_audio_tokens_ratio: z.optional(ratio),
  cached_image_tokens_ratio: z.optional(ratio),
  /** Anthropic's cache read and write counters; × input. */
  cached_read_ratio: z.optional(ratio),
  cached_write_ratio: z.optional(ratio),
  cached_write_1h_ratio: z.optional(ratio),
  input_audio_tokens_ratio: z.optional(ratio),
  input_image_tokens_ratio: z.optional(ratio),
  /** Per second of audio; × input. */
  audio_seconds_ratio: z.optional(ratio),
  /** × output. */
  output_audio_tokens_ratio: z.optional(ratio),
  output_image_tokens_ratio: z.optional(ratio),
  reasoning_tokens_ratio: z.optional(ratio),
});
export type ExtraRatios = z.infer<typeof extraRatios>;
