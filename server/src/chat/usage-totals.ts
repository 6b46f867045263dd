import type { Usage } from '@relay-hub/contract';
import { promptTokens, tokensFromCache } from '@relay-hub/contract';

/** Prompt tokens by OpenAI's and Gemini's count, including cache reads and writes. */
export const wholePrompt = (usage: Usage): number => promptTokens(usage) + usage.cacheRead + cacheWritten(usage);

export const cacheRead = tokensFromCache;
export const cacheWritten = (usage: Usage): number => usage.cacheWrite + usage.cacheWrite1h;
