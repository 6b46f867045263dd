import type { Usage } from '@relay-hub/contract';
import { promptTokens } from '@relay-hub/contract';

/** Everything that was read, as OpenAI and Gemini count a prompt: with what came from a cache or went into one. */
export const wholePrompt = (usage: Usage): number => promptTokens(usage) + usage.cacheRead + cacheWritten(usage);

export const cacheRead = (usage: Usage): number => usage.cached + usage.cacheRead;
export const cacheWritten = (usage: Usage): number => usage.cacheWrite + usage.cacheWrite1h;
