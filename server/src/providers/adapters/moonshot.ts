import { noEmptyMessages, oldLimit, oneSystemRole, where, within, without } from '../fixes.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';
import { balanceAt, inDollarsAt } from '../questions.ts';
import { thinkingType } from '../reasoning-fields.ts';
import { errorsWith } from '../upstream-errors.ts';

export const provider = openAiCompatible({
  id: 'moonshot',
  type: 29,
  title: 'Moonshot',
  baseUrl: 'https://api.moonshot.cn',
  testModel: 'moonshot-v1-8k',
  website: 'https://platform.moonshot.cn/console/info',
  promptCacheS: 3600,
  has: ['raw'],
  fix: [
    oneSystemRole,
    oldLimit,
    noEmptyMessages,
    within('temperature', 0, 1),
    // Fixed values since K2.5.
    where(({ model }) => /^kimi-k(2\.[5-9]|[3-9])/.test(model), without('temperature', 'top_p')),
  ],
  wire: { reasoning: thinkingType, reasoningAs: 'reasoning_content', reasoningRequired: true },
  messages: 'https://api.moonshot.cn/anthropic/v1/messages',
  balance: inDollarsAt('moonshot.ai', balanceAt('/v1/users/me/balance', 'CNY', 'data', 'available_balance')),
  error: errorsWith({
    exceeded_current_quota_error: 402,
    rate_limit_reached_error: 429,
    engine_overloaded_error: 503,
    content_filter: 400,
  }),
});
