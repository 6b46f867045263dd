/** What OpenAI's models take, by their names. Other vendors' models behind the same wire have none of these limits. */
export interface OpenAiTraits {
  /** Takes `reasoning_effort`. */
  effort: boolean;
  /** Takes no temperature and the like, and wants `max_completion_tokens`. */
  reasoningOnly: boolean;
}

const reasoningOnly = /^(o\d|codex|gpt-([5-9]|\d\d))(?!.*-chat)/;
const openWeights = /^gpt-oss/;

export function openAiTraits(model: string): OpenAiTraits {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  const only = reasoningOnly.test(name);
  return { effort: only || openWeights.test(name), reasoningOnly: only };
}

/** More stop sequences than this are refused. */
export const MOST_STOPS = 4;
