/** Features of OpenAI's models by name. Other vendors' models have none of these limits. */
export interface OpenAiTraits {
  /** Accepts `reasoning_effort`. */
  effort: boolean;
  /** Refuses sampling parameters and requires `max_completion_tokens`. */
  reasoningOnly: boolean;
}

const reasoningOnly = /^(o\d|codex|gpt-([5-9]|\d\d))(?!.*-chat)/;
const openWeights = /^gpt-oss/;

export function openAiTraits(model: string): OpenAiTraits {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  const only = reasoningOnly.test(name);
  return { effort: only || openWeights.test(name), reasoningOnly: only };
}

/** More stop sequences are refused. */
export const MOST_STOPS = 4;
