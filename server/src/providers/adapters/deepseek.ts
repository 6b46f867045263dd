import { oldLimit, oneSystemRole, reasoningInLoopOnly } from '../fixes.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';
import { amountAt } from '../questions.ts';
import { thinkingType } from '../reasoning-fields.ts';
import type { Money } from '../provider.ts';
import { errorsWith } from '../upstream-errors.ts';

export const provider = openAiCompatible({
  id: 'deepseek',
  type: 28,
  title: 'DeepSeek',
  baseUrl: 'https://api.deepseek.com',
  testModel: 'deepseek-chat',
  website: 'https://platform.deepseek.com/usage',
  has: ['completions'],
  paths: { completions: '/beta/completions' },
  fix: [oneSystemRole, oldLimit, reasoningInLoopOnly],
  wire: { reasoning: thinkingType, reasoningAs: 'reasoning_content' },
  messages: 'https://api.deepseek.com/anthropic/v1/messages',
  balance: {
    path: '/user/balance',
    read: (reply) => {
      const amount = amountAt(reply, 'balance_infos', 0, 'total_balance');
      return amount === undefined ? undefined : { amount, currency: currencyIn(reply) };
    },
  },
  error: errorsWith({ insufficient_balance: 402 }),
});

const currencyIn = (reply: unknown): Money['currency'] =>
  JSON.stringify(reply).includes('"currency":"USD"') ? 'USD' : 'CNY';
