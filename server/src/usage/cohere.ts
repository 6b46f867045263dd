import { noUsage, type Usage } from '@relay-hub/contract';
import { believed, countOf, objectOf, type Json } from './counts.ts';
import { lastWins, type UsageFormat } from './usage-format.ts';

/**
 * Cohere's chat, embeddings and rerank, and SiliconFlow's rerank. What is billed wins over what was counted, which also
 * holds framing of Cohere's own; a trial key is billed nothing, and then the tokens are what was used. Rerank counts
 * searches: a `times` price charges each, and for a `tokens` price one search is one token, as in the product line.
 * https://docs.cohere.com/reference/chat
 */
export const cohere: UsageFormat = {
  find: (message) => {
    const json = objectOf(message);
    return json?.['usage'] ?? objectOf(json?.['delta'])?.['usage'] ?? json?.['meta'] ?? undefined;
  },
  merge: lastWins,
  read: readCohere,
};

function readCohere(raw: unknown): Usage | undefined {
  const usage = objectOf(raw);
  const told = [usage?.['billed_units'], usage?.['tokens']].map(objectOf).filter((units) => units && isTold(units));
  const units = told.find((each) => each && isUsed(each)) ?? told[0];
  if (!units) return undefined;
  const searches = countOf(units['search_units']);
  return believed({
    ...noUsage,
    input: countOf(units['input_tokens']) ?? searches ?? 0,
    output: (countOf(units['output_tokens']) ?? 0) + (countOf(units['classifications']) ?? 0),
    units: searches ?? 0,
  });
}

const counters = ['input_tokens', 'output_tokens', 'search_units', 'classifications'];
const isTold = (units: Json): boolean => counters.some((name) => countOf(units[name]) !== undefined);
/** Something that is no count is not taken for unused: it makes the whole usage unbelievable. */
const isUsed = (units: Json): boolean => counters.some((name) => (countOf(units[name]) ?? 0) !== 0);
