import { noUsage, type Usage } from '@relay-hub/contract';
import { objectOf, textOr, type Json } from '#json.ts';
import { believed, cachedParts, countOf, partOf, share } from './counts.ts';
import {
  costInUsage,
  eventCount,
  eventsInItems,
  eventsInUsage,
  modeNamed,
  type OtherUsage,
  reported,
  type ServedReport,
} from './served.ts';
import { lastWins, type UsageFormat } from './usage-format.ts';

/**
 * OpenAI's newer counters: `input_tokens` includes cached, audio and image parts, `output_tokens` reasoning, audio and
 * image parts. Realtime and transcription use `input_token_details`.
 */
export function readInputOutput(raw: unknown, outputKind: 'output' | 'outputAudio' | 'outputImage'): Usage | undefined {
  const usage = objectOf(raw);
  const input = countOf(usage?.['input_tokens']);
  if (!usage || input === undefined) return undefined;
  const read = objectOf(usage['input_tokens_details'] ?? usage['input_token_details']);
  const written = objectOf(usage['output_tokens_details'] ?? usage['output_token_details']);
  const counts = { ...noUsage };
  share(counts, input, 'input', inputParts(usage, read));
  share(counts, countOf(usage['output_tokens']) ?? 0, 'output', outputParts(written));
  if (!written && outputKind !== 'output') {
    // Without details, the output is of the endpoint's kind.
    counts[outputKind] = counts.output;
    counts.output = 0;
  }
  return believed(counts);
}

/** Realtime details the cached part within its details; images and a tool's images are separate. */
function inputParts(usage: Json, read: Json | undefined): Partial<Usage> {
  const cached = objectOf(read?.['cached_tokens_details'] ?? usage['cached_tokens_details']);
  const cachedAudio = partOf(cached?.['audio_tokens']);
  const cachedImage = partOf(cached?.['image_tokens'], cached?.['cached_image_tokens']);
  const all = partOf(read?.['cached_tokens'], read?.['cache_read_input_tokens'], usage['cached_tokens']);
  return {
    ...cachedParts(all, cachedAudio, cachedImage),
    ...writtenParts(read),
    inputAudio: Math.max(0, partOf(read?.['audio_tokens']) - cachedAudio),
    inputImage: Math.max(0, partOf(read?.['image_tokens']) - cachedImage),
  };
}

/** Writes with the longer of the two lifetimes are a separate kind. */
function writtenParts(read: Json | undefined): Pick<Usage, 'cacheWrite' | 'cacheWrite1h'> {
  const written = partOf(read?.['cache_write_tokens'], read?.['cache_creation_input_tokens']);
  const long = Math.min(written, partOf(objectOf(read?.['cache_write_tokens_details'])?.['ttl_12h_tokens']));
  return { cacheWrite1h: long, cacheWrite: written - long };
}

const outputParts = (written: Json | undefined): Partial<Usage> => ({
  reasoning: partOf(written?.['reasoning_tokens']),
  outputAudio: partOf(written?.['audio_tokens']),
  outputImage: partOf(written?.['image_tokens']),
});

/**
 * The Responses API, and `response.done` of Realtime. Events contain the response; incomplete and failed ones report
 * usage too. https://platform.openai.com/docs/api-reference/responses/object
 */
export const openAiResponses: UsageFormat = {
  find: (message) => {
    const json = objectOf(message);
    return objectOf(json?.['response'])?.['usage'] ?? json?.['usage'] ?? undefined;
  },
  merge: lastWins,
  read: (raw) => readInputOutput(raw, 'output'),
  served: servedResponse,
};

/** Tokens of the model that made a tool's images; calls without records are left out there. */
function imageTokens(counters: unknown): OtherUsage[] {
  const usage = readInputOutput(counters, 'outputImage');
  return usage && (usage.output > 0 || usage.outputImage > 0) ? [{ usage }] : [];
}

/** A vector image is written by a model that its item names. */
function drawingTokens(item: unknown): OtherUsage[] {
  const drawn = objectOf(objectOf(item)?.['svg_usage']);
  const details = { reasoning_tokens: drawn?.['reasoning_tokens'] };
  const usage = drawn && readInputOutput({ ...drawn, output_tokens_details: details }, 'output');
  return usage ? [{ model: textOr(drawn?.['model'], ''), usage }] : [];
}

const lastEvents = new Set<unknown>(['response.completed', 'response.incomplete', 'response.failed', 'response.done']);

/** Only the last event names the tier that served; hosted tools are items of the reply. */
function servedResponse(message: unknown): ServedReport | undefined {
  const json = objectOf(message);
  if (!json) return undefined;
  if (json['type'] === 'response.output_item.done') return reported({ seen: eventsInItems([json['item']]) });
  const response = objectOf(json['response']);
  if (response && !lastEvents.has(json['type'])) return undefined;
  const reply = response ?? json;
  // Nearly every event of a stream.
  if (!reply['usage'] && !reply['output'] && !reply['tool_usage'] && !reply['service_tier']) return undefined;
  const usage = objectOf(reply['usage']);
  const items: unknown[] = Array.isArray(reply['output']) ? reply['output'] : [];
  const events = { ...eventsInUsage(usage), ...eventsInItems(items) };
  const tools = objectOf(reply['tool_usage']);
  const billed = objectOf(tools?.['web_search'])?.['num_requests'];
  const others = [...imageTokens(tools?.['image_gen']), ...items.flatMap(drawingTokens)];
  const report = reported({
    modes: [modeNamed(reply['service_tier'])],
    events,
    others,
    cost: costInUsage(usage),
  });
  if (billed === undefined || billed === null) return report;
  // None of the searches that were seen may be billed.
  return { ...report, events: { ...report?.events, web_search: eventCount(billed) } };
}
