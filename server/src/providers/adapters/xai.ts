import { xAiChat } from '#usage/open-ai-chat.ts';
import { oneSystemRole, where, without } from '../fixes.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';
import type { Provider } from '../provider.ts';
import { xAiReasoning } from '../reasoning-fields.ts';
import { xaiVideos } from '#providers/task-vendors/xai-videos.ts';

/** Fields that reasoning models refuse. */
const noStops = where(
  ({ model }) => /^grok-(4|3-mini)/.test(model),
  without('stop', 'frequency_penalty', 'presence_penalty'),
);
const noEffort = where(({ model }) => model.startsWith('grok-4'), without('reasoning_effort'));

export const provider: Provider = {
  ...openAiCompatible({
    id: 'xai',
    type: 56,
    title: 'xAI',
    baseUrl: 'https://api.x.ai',
    testModel: 'grok-4-fast-non-reasoning',
    website: 'https://console.x.ai',
    promptCacheS: 3600,
    has: ['responses', 'generations', 'raw'],
    usage: xAiChat,
    fix: [oneSystemRole, noStops, noEffort],
    fixes: { generations: [without('size', 'quality', 'style')] },
    wire: { reasoning: xAiReasoning },
  }),
  tasks: xaiVideos,
};
