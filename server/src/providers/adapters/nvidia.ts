import { type Fix, oldLimit, oneSystemRole } from '../fixes.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';

/**
 * The retrieval models refuse texts without a kind, which OpenAI's clients cannot name.
 * https://docs.nvidia.com/nim/nemo-retriever/text-embedding/latest/reference.html
 */
const textKind: Fix = (body, { model }) =>
  model.startsWith('nvidia/') && body['input_type'] === undefined ? { input_type: 'query' } : {};

/** The hosted catalogue; a NIM of one's own has the same API. https://docs.api.nvidia.com/nim/reference/llm-apis */
export const provider = openAiCompatible({
  id: 'nvidia',
  type: 109,
  title: 'NVIDIA NIM',
  baseUrl: 'https://integrate.api.nvidia.com',
  testModel: 'meta/llama-3.1-8b-instruct',
  website: 'https://build.nvidia.com/settings/api-keys',
  has: ['completions', 'embeddings'],
  fix: [oneSystemRole, oldLimit],
  fixes: { embeddings: [textKind] },
});
