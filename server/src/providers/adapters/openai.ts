import { reasoningModels } from '../fixes.ts';
import { everything, openAiCompatible } from '../open-ai-compatible.ts';
import { openAiBatches } from '#providers/task-vendors/openai-batches.ts';
import { openAiFineTuning } from '#providers/task-vendors/openai-fine-tuning.ts';
import { openAiVideos } from '#providers/task-vendors/openai-videos.ts';

export const provider = openAiCompatible({
  id: 'openai',
  type: 1,
  title: 'OpenAI',
  baseUrl: 'https://api.openai.com',
  testModel: 'gpt-4o-mini',
  website: 'https://platform.openai.com/usage',
  promptCacheS: 1800,
  has: everything,
  fix: [reasoningModels],
  tasks: openAiVideos,
  batches: openAiBatches,
  fineTuning: openAiFineTuning,
});
