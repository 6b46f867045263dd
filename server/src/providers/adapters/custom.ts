import { isOn, oneSystemMessage, pluginText, reasoningModels, where } from '../fixes.ts';
import { field, switched } from '../form.ts';
import { everything, type Modality, openAiCompatible } from '../open-ai-compatible.ts';
import { rawTarget, realtimeTarget } from '../open-ai-targets.ts';
import { openAiModels } from '../questions.ts';
import { bearer, behindGateway } from '../target.ts';
import type { CallTarget, ProviderCall } from '../operation.ts';
import { openAiVideos } from '#providers/task-vendors/openai-videos.ts';

/** The keys under which the channel form overrides or disables a path. */
const modes: Partial<Record<Modality, string>> = {
  chat: '1',
  completions: '2',
  embeddings: '3',
  moderations: '4',
  generations: '5',
  edits: '6',
  variations: '7',
  speech: '9',
  transcriptions: '10',
  translations: '11',
  responses: '16',
};

const modeOf = (modality: Modality): string => modes[modality] ?? '';

/** A base URL may end in another version than OpenAI's, like `/api/paas/v4`; paths then begin behind it. */
const hasVersion = ({ baseUrl }: ProviderCall): boolean => /\/v\d+$/.test(baseUrl);

const targetAt = (call: ProviderCall, path: string): CallTarget => ({
  baseUrl: call.baseUrl,
  path: behindGateway(call.baseUrl, hasVersion(call) ? path.slice(3) : path),
  headers: bearer(call.key),
});

export const provider = openAiCompatible({
  id: 'custom',
  type: 8,
  title: 'OpenAI-compatible',
  promptCacheS: 1800,
  form: {
    address: 'required',
    plugins: [
      { id: 'customize', fields: Object.values(modes).map((mode) => field(mode, 'path')) },
      switched('one_system_message'),
    ],
  },
  // Servers of open models have it in addition to OpenAI's operations.
  has: [...everything, 'rerank'],
  fix: [reasoningModels, where((call) => isOn(call, 'one_system_message'), oneSystemMessage)],
  tasks: openAiVideos,
  serves: (modality, { extras }) => pluginText({ extras }, 'customize', modeOf(modality)) !== 'disable',
  models: { ...openAiModels('/v1/models'), target: (call) => targetAt(call, '/v1/models') },
  target: (call, path, modality) => {
    if (modality === 'realtime') return realtimeTarget(call, hasVersion(call) ? path.slice(3) : path, bearer);
    if (modality === 'raw') return rawTarget(call, hasVersion(call) ? '' : '/v1', bearer);
    const own = pluginText(call, 'customize', modeOf(modality));
    if (own === '') return targetAt(call, path);
    return { baseUrl: call.baseUrl, path: own.replace(/^\/?/, '/'), headers: bearer(call.key) };
  },
});
