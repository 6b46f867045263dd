/** Features of OpenAI's models by name. Other vendors' models have none of these limits. */
export interface OpenAiTraits {
  /** Accepts `reasoning_effort`. */
  effort: boolean;
  /** Refuses sampling parameters and requires `max_completion_tokens`. */
  reasoningOnly: boolean;
  /** Takes earlier reasoning back, as all other vendors' models do. */
  takesReasoning: boolean;
  /** Refuses earlier calls without the field of reasoning: DeepSeek from V4 on, Kimi from K2.5 on. */
  needsReasoning: boolean;
}

const reasoningOnly = /^(o\d|codex|gpt-([5-9]|\d\d))(?!.*-chat)/;
const openWeights = /^gpt-oss/;
const openAis = /^(gpt-|chatgpt|o\d|codex)/;
const needsReasoning = /deepseek-(v[4-9]|reasoner)|kimi-k(2[.p-][5-9]|[3-9])|kimi-k2-thinking/;

const known = new Map<string, OpenAiTraits>();
const MOST_KNOWN = 1000;

/** The same object for a model in most calls, since every call asks for it. */
export function openAiTraits(model: string): OpenAiTraits {
  let traits = known.get(model);
  if (!traits) {
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(model, (traits = traitsOf(model)));
  }
  return traits;
}

function traitsOf(model: string): OpenAiTraits {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  const only = reasoningOnly.test(name);
  const isOpen = openWeights.test(name);
  return {
    effort: only || isOpen,
    reasoningOnly: only,
    takesReasoning: isOpen || !openAis.test(name),
    needsReasoning: needsReasoning.test(name),
  };
}

/** More stop sequences are refused. */
export const MOST_STOPS = 4;
