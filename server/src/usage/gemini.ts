import { type EventCounts, noUsage, type Usage } from '@relay-hub/contract';
import { listOr, objectOf } from '#json.ts';
import { believed, cachedParts, countOf, liesBeside, partOf, share } from './counts.ts';
import { modeNamed, reported, type ServedReport } from './served.ts';
import { lastOfEachWins, type UsageFormat } from './usage-format.ts';

/**
 * Gemini, also on Vertex. The prompt includes its cached part; tool results and thoughts are separate from prompt and
 * candidates. Zero counters are omitted, so a missing one is zero if any is present. Each stream event has cumulative
 * counters. https://ai.google.dev/api/generate-content#UsageMetadata
 */
export const gemini: UsageFormat = {
  find: (message) => objectOf(message)?.['usageMetadata'] ?? undefined,
  reportsOutput: (raw) => {
    const usage = objectOf(raw);
    return (usage?.['candidatesTokenCount'] ?? usage?.['thoughtsTokenCount'] ?? undefined) !== undefined;
  },
  merge: lastOfEachWins,
  read: readGemini,
  served: servedGemini,
};

function readGemini(raw: unknown): Usage | undefined {
  const usage = objectOf(raw);
  if (!usage) return undefined;
  const promptTokens = countOf(usage['promptTokenCount']);
  const candidates = countOf(usage['candidatesTokenCount']);
  const thoughts = countOf(usage['thoughtsTokenCount']);
  if (promptTokens === undefined && candidates === undefined && thoughts === undefined) return undefined;
  const prompt = (promptTokens ?? 0) + (countOf(usage['toolUsePromptTokenCount']) ?? 0);

  // Embeddings use another spelling.
  const read = modality(usage['promptTokensDetails'] ?? usage['promptTokenDetails']);
  const cachedOf = modality(usage['cacheTokensDetails']);
  const made = modality(usage['candidatesTokensDetails']);
  const parts = { outputAudio: made('AUDIO'), outputImage: made('IMAGE') };
  const answer = candidates ?? 0;
  const reasoning = thoughts ?? 0;
  const beside = liesBeside(usage['totalTokenCount'], prompt + answer, reasoning, true);
  const counts = { ...noUsage };
  share(counts, prompt, 'input', {
    ...cachedParts(partOf(usage['cachedContentTokenCount']), cachedOf('AUDIO'), cachedOf('IMAGE')),
    inputAudio: Math.max(0, read('AUDIO') - cachedOf('AUDIO')),
    inputImage: Math.max(0, read('IMAGE') - cachedOf('IMAGE')),
  });
  if (beside) counts.reasoning = reasoning;
  share(counts, answer, 'output', beside ? parts : { reasoning, ...parts });
  return believed(counts);
}

/**
 * Tokens by modality in a list of `{ modality, tokenCount }`. Video and documents are priced as text, so they stay in
 * the rest.
 */
function modality(list: unknown): (name: string) => number {
  const entries: unknown[] = Array.isArray(list) ? list : [];
  return (name) => partOf(objectOf(entries.find((entry) => objectOf(entry)?.['modality'] === name))?.['tokenCount']);
}

/** A tool's results are no part of the prompt whose length is priced. */
function servedGemini(message: unknown): ServedReport | undefined {
  const json = objectOf(message);
  const usage = objectOf(json?.['usageMetadata']);
  return reported({
    modes: [modeNamed(usage?.['serviceTier']) ?? modeNamed(usage?.['trafficType'])],
    promptTokens: partOf(usage?.['promptTokenCount']),
    events: groundingIn(listOr(json?.['candidates'])),
  });
}

/** The searches of candidates; undefined: none, as in most events of a stream. */
function groundingIn(candidates: readonly unknown[]): EventCounts | undefined {
  const found = candidates
    .map((one) => objectOf(objectOf(one)?.['groundingMetadata']))
    .filter((one) => one !== undefined);
  if (found.length === 0) return undefined;
  const lists = (name: string): unknown[] => found.flatMap((one) => listOr(one[name]));
  const queries = new Set(
    [...lists('webSearchQueries'), ...lists('imageSearchQueries')].filter((query) => query !== ''),
  );
  const chunks = lists('groundingChunks');
  const onMaps = chunks.some((chunk) => objectOf(chunk)?.['maps'] !== undefined);
  const onWeb = queries.size > 0 || chunks.some((chunk) => objectOf(chunk)?.['web'] !== undefined);
  return {
    web_search: queries.size,
    grounded_prompt: onWeb ? 1 : 0,
    map_search: onMaps ? 1 : 0,
    file_search: lists('retrievalQueries').length,
  };
}
