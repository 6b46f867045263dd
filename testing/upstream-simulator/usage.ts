import type { Behaviour, JsonObject, UsagePlace } from './behaviour.ts';

/** The usage to report and its place in a stream; `value` counts one token per word and per piece. */
interface UsagePlan {
  place: UsagePlace | 'none';
  value: (completionTokens: number) => JsonObject;
}

export function usagePlan(behaviour: Behaviour, promptTokens: number): UsagePlan {
  const { usage, usageIn = 'last' } = behaviour;
  if (typeof usage === 'object') return { place: usageIn, value: () => usage };
  return { place: usage ?? usageIn, value: (completionTokens) => chatUsage(promptTokens, completionTokens) };
}

function chatUsage(promptTokens: number, completionTokens: number): JsonObject {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
