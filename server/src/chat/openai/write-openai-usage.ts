import type { Usage } from '@relay-hub/contract';
import { completionTokens } from '@relay-hub/contract';
import type { Json } from '#json.ts';
import { cacheRead, cacheWritten, wholePrompt } from '../usage-totals.ts';

export function writeOpenAiUsage(usage: Usage): Json {
  const prompt = wholePrompt(usage);
  const completion = completionTokens(usage);
  const written = cacheWritten(usage);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: {
      cached_tokens: cacheRead(usage),
      audio_tokens: usage.inputAudio,
      ...(written > 0 && { cache_write_tokens: written }),
      ...(usage.inputImage > 0 && { image_tokens: usage.inputImage }),
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: usage.outputAudio,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
