import { noUsage, type Usage } from '@relay-hub/contract';
import { objectOf, type Json } from '#json.ts';
import { believed, countOf } from './counts.ts';
import { lastWins, type UsageFormat } from './usage-format.ts';

/**
 * Cohere's chat, embeddings and rerank, and SiliconFlow's rerank. Billed units take precedence over counted tokens,
 * which include Cohere's own framing; trial keys are billed nothing, so their counted tokens apply. Rerank counts
 * searches: a `times` price charges each, and for a `tokens` price one search is one token, as in one-hub.
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
  const reports = [usage?.['billed_units'], usage?.['tokens']]
    .map(objectOf)
    .filter((units) => units && isReported(units));
  const units = reports.find((each) => each && isUsed(each)) ?? reports[0];
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
const isReported = (units: Json): boolean => counters.some((name) => countOf(units[name]) !== undefined);
/** An invalid count must not pass as unused: it invalidates the usage. */
const isUsed = (units: Json): boolean => counters.some((name) => (countOf(units[name]) ?? 0) !== 0);
