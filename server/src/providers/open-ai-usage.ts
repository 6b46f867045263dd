import type { Usage } from '@relay-hub/contract';
import { noUsage } from '@relay-hub/contract';

/** More tokens than any call can have; a larger count is a fault, not a usage. */
const MOST_TOKENS = 1_000_000_000;

/**
 * OpenAI's usage as counters that do not overlap. `prompt_tokens` holds the cached and audio parts, and
 * `completion_tokens` the reasoning and audio ones. Undefined when it is absent or cannot be a usage (negative,
 * fractional, absurd); parts that are larger than their whole are cut to it.
 * https://platform.openai.com/docs/api-reference/chat/object#chat/object-usage
 */
export function readOpenAiUsage(raw: unknown): Usage | undefined {
  if (typeof raw !== 'object' || raw === null) return undefined;
  const usage = raw as Record<string, unknown>;
  const prompt = count(usage['prompt_tokens']);
  const completion =
    usage['completion_tokens'] === undefined || usage['completion_tokens'] === null
      ? 0
      : count(usage['completion_tokens']);
  if (prompt === undefined || completion === undefined) return undefined;

  const promptParts = details(usage['prompt_tokens_details']);
  // DeepSeek tells its cache hits beside the details that others use.
  const cached = Math.min(prompt, count(promptParts['cached_tokens']) ?? count(usage['prompt_cache_hit_tokens']) ?? 0);
  const inputAudio = Math.min(prompt - cached, count(promptParts['audio_tokens']) ?? 0);
  const inputImage = Math.min(prompt - cached - inputAudio, count(promptParts['image_tokens']) ?? 0);

  const completionParts = details(usage['completion_tokens_details']);
  const reasoning = Math.min(completion, count(completionParts['reasoning_tokens']) ?? 0);
  const outputAudio = Math.min(completion - reasoning, count(completionParts['audio_tokens']) ?? 0);

  return {
    ...noUsage,
    input: prompt - cached - inputAudio - inputImage,
    cached,
    inputAudio,
    inputImage,
    output: completion - reasoning - outputAudio,
    reasoning,
    outputAudio,
  };
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST_TOKENS ? value : undefined;
}

const details = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
