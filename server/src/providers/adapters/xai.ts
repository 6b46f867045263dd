import { xAiChat } from '#usage/open-ai-chat.ts';
import { type Fix, oneSystemRole, without } from '../fixes.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';
import { xAiReasoning } from '../reasoning-fields.ts';

const reasoning = /^grok-(4|3-mini)/;
const noStops = without('stop', 'frequency_penalty', 'presence_penalty');
const noEffort = without('reasoning_effort');

/** What the reasoning models refuse. */
const forReasoning: Fix = (body, asked) => ({
  ...(reasoning.test(asked.model) && noStops(body, asked)),
  ...(asked.model.startsWith('grok-4') && noEffort(body, asked)),
});

export const provider = openAiCompatible({
  id: 'xai',
  type: 56,
  title: 'xAI',
  baseUrl: 'https://api.x.ai',
  testModel: 'grok-4-fast-non-reasoning',
  website: 'https://console.x.ai',
  has: ['responses', 'generations', 'raw'],
  usage: xAiChat,
  fix: [oneSystemRole, forReasoning],
  fixes: { generations: [without('size', 'quality', 'style')] },
  wire: { reasoning: xAiReasoning },
});
