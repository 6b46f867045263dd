import { openAiCompatible } from '../open-ai-compatible.ts';
import { balanceAt } from '../questions.ts';

/** Images; other operations are passed through. */
export const provider = openAiCompatible({
  id: 'recraft',
  type: 51,
  title: 'Recraft',
  baseUrl: 'https://external.api.recraft.ai',
  website: 'https://www.recraft.ai/profile/api',
  chat: false,
  has: ['generations', 'raw'],
  models: false,
  balance: balanceAt('/v1/users/me', 'credits', 'credits'),
});
