import { isObject } from '#json.ts';
import { believed, partOf } from './counts.ts';
import { openAiChat } from './open-ai-chat.ts';
import type { UsageFormat } from './usage-format.ts';

/**
 * Perplexity's chats. Of deep research it bills the pages that were read, which are no part of the prompt, and the
 * reasoning, which is none of the answer. https://docs.perplexity.ai/docs/sonar/models/sonar-deep-research
 */
export const perplexityChat: UsageFormat = {
  ...openAiChat,
  read(raw) {
    const usage = openAiChat.read(raw);
    if (!usage || !isObject(raw)) return usage;
    const beside = usage.reasoning > 0 ? 0 : partOf(raw['reasoning_tokens']);
    return believed({
      ...usage,
      input: usage.input + partOf(raw['citation_tokens']),
      reasoning: usage.reasoning + beside,
    });
  },
};
