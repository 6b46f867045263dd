import { openAiImages } from '#usage/open-ai-media.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';
import { rawTarget } from '../open-ai-targets.ts';
import type { Provider } from '../provider.ts';
import { balanceAt } from '../questions.ts';
import { bearer } from '../target.ts';

/** Images and tools for them; other operations are passed through. */
const compatible = openAiCompatible({
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

export const provider: Provider = {
  ...compatible,
  images: {
    ...compatible.images,
    tools: { dialect: 'openai', path: '', target: (call) => rawTarget(call, '/v1', bearer), usage: openAiImages },
  },
};
