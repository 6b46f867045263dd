import { noUsage, type Usage } from '@relay-hub/contract';
import { objectOf, textOr, type Json } from '#json.ts';
import { addUsage } from './add-usage.ts';
import { believed, countOf, partOf } from './counts.ts';
import { eventCount, modeNamed, type OtherUsage, reported, type ServedReport } from './served.ts';
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
  served: servedMessage,
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
  const counts = {
    ...noUsage,
    input,
    cacheRead: countOf(usage['cache_read_input_tokens']) ?? 0,
    cacheWrite: written - written1h,
    cacheWrite1h: written1h,
    output: countOf(usage['output_tokens']) ?? 0,
  };
  return believed(stepsBeside(usage).reduce(addUsage, counts));
}

const iterationsOf = (usage: Json): Json[] =>
  (Array.isArray(usage['iterations']) ? (usage['iterations'] as unknown[]) : []).map((one) => objectOf(one) ?? {});

const readStep = (step: Json): Usage | undefined => readMessages({ ...step, iterations: undefined });

/** Compactions, which the counters of the whole do not include. */
const stepsBeside = (usage: Json): Usage[] =>
  iterationsOf(usage)
    .filter(({ type }) => type === 'compaction')
    .flatMap((step) => readStep(step) ?? []);

/** An adviser's answers, likewise. If a fallback model answered, the steps of all models, which are in the counters. */
function stepsOfOthers(usage: Json): OtherUsage[] {
  const steps = iterationsOf(usage);
  const isFallback = steps.some(({ type }) => type === 'fallback_message');
  return steps.flatMap((step): OtherUsage[] => {
    const { type, model } = step;
    if (type !== 'advisor_message' && !(isFallback && type !== 'compaction' && typeof model === 'string')) return [];
    const used = readStep(step);
    if (!used) return [];
    return [{ model: textOr(model, ''), usage: used, ...(type !== 'advisor_message' && { within: true }) }];
  });
}

/** Tier, speed and region come with the start of a stream only, searches with its end. */
function servedMessage(message: unknown): ServedReport | undefined {
  const json = objectOf(message);
  const reply = objectOf(json?.['message']) ?? json;
  const usage = objectOf(reply?.['usage']);
  if (!reply || !usage) return undefined;
  const tools = objectOf(usage['server_tool_use']);
  const started = (reply['container'] ?? objectOf(json?.['delta'])?.['container'] ?? undefined) !== undefined;
  const steps = iterationsOf(usage)
    .filter(({ type }) => type !== 'advisor_message')
    .map((step) => promptOf(step));
  return reported({
    modes: [modeNamed(usage['service_tier']), usage['speed'] === 'fast' ? 'fast' : undefined],
    region: usage['inference_geo'] === 'not_available' ? undefined : usage['inference_geo'],
    promptTokens: steps.length > 0 ? Math.max(...steps) : undefined,
    events: {
      web_search: eventCount(tools?.['web_search_requests']),
      page_read: eventCount(tools?.['web_fetch_requests']),
      code_session: started ? 1 : 0,
    },
    others: stepsOfOthers(usage),
  });
}

const promptOf = (step: Json): number =>
  partOf(step['input_tokens']) + partOf(step['cache_read_input_tokens']) + partOf(step['cache_creation_input_tokens']);
