import { noUsage, type Usage } from '@relay-hub/contract';
import { objectOf } from '#json.ts';
import { believed, countOf, partOf, share } from './counts.ts';
import { eventsInUsage, reported } from './served.ts';
import { lastWins, type UsageFormat } from './usage-format.ts';

/**
 * Alibaba's DashScope API (its compatible mode is OpenAI's). Image tokens are part of the input; audio is separate,
 * except for models that report details. Embeddings report only a total, image models the number of images.
 * https://help.aliyun.com/zh/model-studio/developer-reference/qwen-api
 */
export const aliDashScope: UsageFormat = {
  find: (message) => objectOf(message)?.['usage'] ?? undefined,
  merge: lastWins,
  read: readDashScope,
  served: (message) => reported({ events: eventsInUsage(objectOf(objectOf(message)?.['usage'])) }),
};

function readDashScope(raw: unknown): Usage | undefined {
  const usage = objectOf(raw);
  const images = countOf(usage?.['image_count']);
  const input = countOf(usage?.['input_tokens'] ?? (usage?.['output_tokens'] === undefined && usage?.['total_tokens']));
  if (!usage || (input === undefined && images === undefined)) return undefined;
  const read = objectOf(usage['input_tokens_details']);
  const cache = objectOf(usage['prompt_tokens_details']) ?? read;
  const written = objectOf(usage['output_tokens_details']);
  const counts = { ...noUsage };
  share(counts, input ?? 0, 'input', {
    cached: partOf(cache?.['cached_tokens'], usage['cached_tokens']),
    cacheWrite: partOf(cache?.['cache_creation_input_tokens']),
    inputAudio: partOf(read?.['audio_tokens']),
    inputImage: partOf(read?.['image_tokens'], usage['image_tokens']),
  });
  if (!read) counts.inputAudio = countOf(usage['audio_tokens']) ?? 0;
  share(counts, countOf(usage['output_tokens']) ?? 0, 'output', {
    reasoning: partOf(written?.['reasoning_tokens']),
    outputAudio: partOf(written?.['audio_tokens']),
  });
  counts.units = images ?? 0;
  return believed(counts);
}
