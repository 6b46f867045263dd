import { oldLimit, oneSystemRole } from '../fixes.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';
import { thinkingSwitch } from '../reasoning-fields.ts';
import { errorsWith } from '../upstream-errors.ts';

/** Qianfan v2, which refuses the key pairs of v1. */
export const provider = openAiCompatible({
  id: 'baidu',
  type: 15,
  title: 'Baidu Qianfan',
  baseUrl: 'https://qianfan.baidubce.com',
  testModel: 'ernie-4.5-turbo-128k',
  website: 'https://console.bce.baidu.com/qianfan/overview',
  prefix: '/v2',
  has: ['embeddings', 'rerank', 'generations'],
  fix: [oneSystemRole, oldLimit],
  wire: { reasoning: thinkingSwitch },
  error: errorsWith({
    invalid_iam_token: 401,
    account_overdue: 402,
    rpm_rate_limit_exceeded: 429,
    tpm_rate_limit_exceeded: 429,
  }),
});
