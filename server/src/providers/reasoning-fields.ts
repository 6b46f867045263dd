import type { Json } from '#json.ts';
import type { Reasoning } from '#chat/chat.ts';
import { effortOf } from '#chat/reasoning.ts';

/**
 * Reasoning parameters of OpenAI-compatible vendors without `reasoning_effort`. Nothing is sent unless the caller
 * asked.
 */

/** `enable_thinking` alone: Baidu, Tencent. */
export function thinkingSwitch(reasoning: Reasoning): Json {
  const enabled = isEnabled(reasoning);
  return enabled === undefined ? {} : { enable_thinking: enabled };
}

/** With a budget: Alibaba, SiliconFlow. */
export function thinkingBudget(reasoning: Reasoning): Json {
  const enabled = isEnabled(reasoning);
  if (enabled === undefined) return {};
  return enabled && reasoning.budget !== undefined
    ? { enable_thinking: true, thinking_budget: reasoning.budget }
    : { enable_thinking: enabled };
}

/** `thinking`: DeepSeek, Moonshot, Zhipu. */
export function thinkingType(reasoning: Reasoning): Json {
  const enabled = isEnabled(reasoning);
  return enabled === undefined ? {} : { thinking: { type: enabled ? 'enabled' : 'disabled' } };
}

/** OpenRouter's `reasoning` object supports all options. */
export function openRouterReasoning({ effort, budget, dynamic, show }: Reasoning): Json {
  const reasoning: Json = {
    ...(budget !== undefined && { max_tokens: budget }),
    ...(budget === undefined && effort !== undefined && { effort: effort === 'max' ? 'xhigh' : effort }),
    ...(dynamic === true && effort === undefined && budget === undefined && { enabled: true }),
    ...(show === false && { exclude: true }),
  };
  return Object.keys(reasoning).length > 0 ? { reasoning } : {};
}

/** Some of Groq's models know three efforts, some only none and the default. */
export function groqReasoning(reasoning: Reasoning): Json {
  const effort = effortOf(reasoning);
  const hidden = reasoning.show === false ? { include_reasoning: false } : {};
  if (effort === undefined) return hidden;
  return { reasoning_effort: effort === 'none' ? 'none' : lowToHigh(effort), ...hidden };
}

/** xAI knows two efforts. */
export function xAiReasoning(reasoning: Reasoning): Json {
  const effort = effortOf(reasoning);
  if (effort === undefined || effort === 'none') return {};
  return { reasoning_effort: lowToHigh(effort) === 'high' ? 'high' : 'low' };
}

const lowToHigh = (effort: string): 'low' | 'medium' | 'high' =>
  effort === 'minimal' || effort === 'low' ? 'low' : effort === 'medium' ? 'medium' : 'high';

/** Undefined for the model's default. */
function isEnabled(reasoning: Reasoning): boolean | undefined {
  const effort = effortOf(reasoning);
  return effort === undefined ? reasoning.dynamic : effort !== 'none';
}
