import { listOr, objectOr } from '#json.ts';
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
  promptCacheS: 21_600,
  has: ['completions'],
  paths: { completions: '/beta/completions' },
  fix: [oneSystemRole, oldLimit, reasoningInLoopOnly],
  wire: { reasoning: thinkingType, reasoningAs: 'reasoning_content', reasoningRequired: true },
  messages: 'https://api.deepseek.com/anthropic/v1/messages',
  balance: {
    path: '/user/balance',
    read: (reply) => {
      const balances = listOr(objectOr(reply)['balance_infos']).flatMap((info) => moneyIn(info) ?? []);
      // An account can have two currencies, often one of them empty.
      return balances.find(({ amount }) => amount > 0) ?? balances[0];
    },
  },
  error: errorsWith({ insufficient_balance: 402 }),
});

function moneyIn(info: unknown): Money | undefined {
  const amount = amountAt(info, 'total_balance');
  return amount === undefined ? undefined : { amount, currency: objectOr(info)['currency'] === 'USD' ? 'USD' : 'CNY' };
}
