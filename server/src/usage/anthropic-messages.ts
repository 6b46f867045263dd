import { noUsage, type Usage } from '@relay-hub/contract';
import { objectOf } from '#json.ts';
import { believed, countOf, partOf } from './counts.ts';
import { lastOfEachWins, type UsageFormat } from './usage-format.ts';

/**
 * Anthropic's Messages, whose three input counters do not overlap. Thinking is ordinary output. A stream reports
 * counters at its start and cumulative ones later. https://docs.anthropic.com/en/api/messages
 */
export const anthropicMessages: UsageFormat = {
  find: (message) => {
    const json = objectOf(message);
    const start = objectOf(objectOf(json?.['message'])?.['usage']);
    // The output count in a stream's start event does not refer to any text.
    return json?.['usage'] ?? (start && { ...start, output_tokens: undefined });
  },
  reportsOutput: (raw) => (objectOf(raw)?.['output_tokens'] ?? undefined) !== undefined,
  merge: lastOfEachWins,
  read: readMessages,
};

function readMessages(raw: unknown): Usage | undefined {
  const usage = objectOf(raw);
  const input = countOf(usage?.['input_tokens']);
  if (!usage || input === undefined) return undefined;
  const byLife = objectOf(usage['cache_creation']);
  const hour = partOf(byLife?.['ephemeral_1h_input_tokens']);
  // Older models and other vendors report only the sum, all of it with the five-minute lifetime.
  const written = countOf(usage['cache_creation_input_tokens']) ?? hour + partOf(byLife?.['ephemeral_5m_input_tokens']);
  const written1h = Math.min(written, hour);
  return believed({
    ...noUsage,
    input,
    cacheRead: countOf(usage['cache_read_input_tokens']) ?? 0,
    cacheWrite: written - written1h,
    cacheWrite1h: written1h,
    output: countOf(usage['output_tokens']) ?? 0,
  });
}
