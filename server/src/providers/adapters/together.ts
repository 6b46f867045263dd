import { type Fix, oldLimit, oneSystemRole, without } from '../fixes.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';
import { namesInList } from '../questions.ts';

/** Width and height instead of a size, and another word for base64. https://docs.together.ai/reference/post-images-generations */
const pictureFields: Fix = (body) => {
  const [, width, height] = /^(\d{2,4})x(\d{2,4})$/.exec(String(body['size'])) ?? [];
  return {
    ...(body['size'] !== undefined && { size: undefined }),
    ...(width !== undefined && { width: Number(width), height: Number(height) }),
    ...(body['response_format'] === 'b64_json' && { response_format: 'base64' }),
  };
};

/** https://docs.together.ai/docs/inference/openai-compatibility */
export const provider = openAiCompatible({
  id: 'together',
  type: 107,
  title: 'Together AI',
  baseUrl: 'https://api.together.ai',
  testModel: 'openai/gpt-oss-20b',
  website: 'https://api.together.ai/settings/billing',
  promptCacheS: 3600,
  has: ['completions', 'embeddings', 'generations', 'speech', 'transcriptions', 'translations', 'rerank'],
  fix: [oneSystemRole, oldLimit],
  fixes: { generations: [without('quality', 'style', 'user', 'background', 'moderation'), pictureFields] },
  models: { path: '/v1/models', read: (reply) => namesInList(reply, 'id') },
});
