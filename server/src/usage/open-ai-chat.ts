import { noUsage, type Usage } from '@relay-hub/contract';
import { objectOf, type Json } from '#json.ts';
import { believed, countOf, liesBeside, partOf, share } from './counts.ts';
import {
  costInUsage,
  eventCount,
  eventsInUsage,
  modeNamed,
  noEvents,
  type OtherUsage,
  reported,
  type ServedReport,
  tierReport,
} from './served.ts';
import { lastWins, type UsageFormat } from './usage-format.ts';

/**
 * Chat Completions, completions and embeddings of OpenAI and most others. `prompt_tokens` includes cached, audio and
 * image parts; `completion_tokens` includes reasoning, audio and image parts. Predicted tokens, accepted or not, are
 * ordinary output. https://platform.openai.com/docs/api-reference/chat/object#chat/object-usage
 */
export const openAiChat: UsageFormat = {
  find: findInChat,
  merge: lastWins,
  read: (raw) => readChat(raw, false),
  served: servedChat,
};

/** xAI counts reasoning separately from the completion. https://docs.x.ai/docs/guides/reasoning */
export const xAiChat: UsageFormat = { ...openAiChat, read: (raw) => readChat(raw, true) };

/**
 * Groq's compound systems list the tokens of the models that they used, which the usage includes.
 * https://console.groq.com/docs/compound
 */
export const groqChat: UsageFormat = {
  ...openAiChat,
  served(message) {
    const served = servedChat(message);
    const json = objectOf(message);
    const breakdown = json?.['usage_breakdown'] ?? objectOf(json?.['x_groq'])?.['usage_breakdown'];
    const models = objectOf(breakdown)?.['models'];
    if (!Array.isArray(models)) return served;
    const others = (models as unknown[]).flatMap((one): OtherUsage[] => {
      const { model, usage: raw } = objectOf(one) ?? {};
      const usage = readChat(raw, false);
      return usage && typeof model === 'string' ? [{ model, usage, within: true }] : [];
    });
    return { ...served, others };
  },
};

/** Usually at the top level; Moonshot: in the last choice of a stream; Groq: in the member `x_groq`. */
function findInChat(message: unknown): unknown {
  const json = objectOf(message);
  const choices = json?.['choices'];
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined;
  return json?.['usage'] ?? objectOf(first)?.['usage'] ?? objectOf(json?.['x_groq'])?.['usage'] ?? undefined;
}

function readChat(raw: unknown, reasoningBeside: boolean): Usage | undefined {
  const usage = objectOf(raw);
  const prompt = countOf(usage?.['prompt_tokens']);
  if (!usage || prompt === undefined) return undefined;
  const completion = countOf(usage['completion_tokens']) ?? 0;

  const spoken = objectOf(usage['completion_tokens_details']);
  const reasoning = partOf(spoken?.['reasoning_tokens']);
  const outputAudio = partOf(spoken?.['audio_tokens']);
  const outputImage = partOf(spoken?.['image_tokens']);
  const beside = liesBeside(usage['total_tokens'], prompt + completion, reasoning, reasoningBeside);
  const counts = { ...noUsage };
  share(counts, prompt, 'input', promptParts(usage));
  if (beside) counts.reasoning = reasoning;
  share(counts, completion, 'output', beside ? { outputAudio, outputImage } : { reasoning, outputAudio, outputImage });
  // Mistral counts audio in seconds, separately from the prompt.
  counts.audioSeconds = partOf(usage['prompt_audio_seconds']);
  return believed(counts);
}

function promptParts(usage: Readonly<Record<string, unknown>>): Partial<Usage> {
  const read = objectOf(usage['prompt_tokens_details']);
  // OpenRouter and Alibaba report cache writes, both as part of the prompt.
  const written = partOf(read?.['cache_write_tokens'], read?.['cache_creation_input_tokens']);
  const written1h = Math.min(written, partOf(objectOf(read?.['cache_creation'])?.['ephemeral_1h_input_tokens']));
  return {
    // DeepSeek and Moonshot report cache hits outside the details.
    cached: partOf(read?.['cached_tokens'], usage['prompt_cache_hit_tokens'], usage['cached_tokens']),
    cacheWrite1h: written1h,
    cacheWrite: written - written1h,
    inputAudio: partOf(read?.['audio_tokens']),
    inputImage: partOf(read?.['image_tokens']),
  };
}

/** Names of Groq's executed tools that search. */
const searchTools = new Set(['search', 'web_search', 'browser_search', 'browser.search']);

/** The tier is a member of the reply, at Mistral of its usage; most hosted tools are counted in the usage. */
function servedChat(message: unknown): ServedReport | undefined {
  const json = objectOf(message);
  if (!json) return undefined;
  const usage = objectOf(findInChat(json));
  const { choices } = json;
  const choice = Array.isArray(choices) ? objectOf(choices[0]) : undefined;
  const answer = objectOf(choice?.['message'] ?? choice?.['delta']);
  const searched = countIn(answer?.['executed_tools'], (tool) => searchTools.has(String(tool?.['type'])));
  // Moonshot bills the call of its search, Zhipu a reply that lists results.
  const asked = countIn(answer?.['tool_calls'], (call) => objectOf(call?.['function'])?.['name'] === '$web_search');
  const listed = Array.isArray(json['web_search']) && json['web_search'].length > 0 ? 1 : 0;
  const mode = modeNamed(json['service_tier'] ?? usage?.['service_tier']);
  const events = eventsInUsage(usage);
  const cost = costInUsage(usage);
  // Nearly every reply, and every chunk of a stream.
  if (events === noEvents && cost === undefined && searched + asked + listed === 0) return mode && tierReport(mode);
  const found = Math.max(events.web_search ?? 0, searched, listed);
  return reported({
    modes: [mode],
    events: found > 0 ? { ...events, web_search: eventCount(found) } : events,
    // A stream has each call in a separate event.
    seen: asked > 0 ? { web_search: asked } : undefined,
    cost,
  });
}

/** Number of matching items; 0 for a value that is no list. */
function countIn(list: unknown, isSearched: (item: Json | undefined) => boolean): number {
  let count = 0;
  if (Array.isArray(list)) for (const item of list as unknown[]) if (isSearched(objectOf(item))) count++;
  return count;
}
