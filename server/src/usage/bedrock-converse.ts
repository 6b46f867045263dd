import { noUsage, type Usage } from '@relay-hub/contract';
import { objectOf } from '#json.ts';
import { believed, countOf, partOf } from './counts.ts';
import { modeNamed, reported } from './served.ts';
import { lastWins, type UsageFormat } from './usage-format.ts';

/**
 * Amazon Bedrock's Converse: cache counters are not part of the input. Streams report usage in `metadata`.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html
 */
export const bedrockConverse: UsageFormat = {
  find: (message) => {
    const json = objectOf(message);
    return json?.['usage'] ?? objectOf(json?.['metadata'])?.['usage'] ?? undefined;
  },
  merge: lastWins,
  read: readConverse,
  served: (message) => {
    const json = objectOf(message);
    const reply = objectOf(json?.['metadata']) ?? json;
    const isOptimized = objectOf(reply?.['performanceConfig'])?.['latency'] === 'optimized';
    return reported({
      modes: [modeNamed(objectOf(reply?.['serviceTier'])?.['type']), isOptimized ? 'optimized' : undefined],
    });
  },
};

function readConverse(raw: unknown): Usage | undefined {
  const usage = objectOf(raw);
  const input = countOf(usage?.['inputTokens']);
  if (!usage || input === undefined) return undefined;
  const written = countOf(usage['cacheWriteInputTokens']) ?? 0;
  const details: unknown[] = Array.isArray(usage['cacheDetails']) ? usage['cacheDetails'] : [];
  const hour = partOf(objectOf(details.find((each) => objectOf(each)?.['ttl'] === '1h'))?.['inputTokens']);
  const written1h = Math.min(written, hour);
  return believed({
    ...noUsage,
    input,
    cacheRead: countOf(usage['cacheReadInputTokens']) ?? 0,
    cacheWrite: written - written1h,
    cacheWrite1h: written1h,
    output: countOf(usage['outputTokens']) ?? 0,
  });
}
