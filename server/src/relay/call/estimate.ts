import { creditsFor, noUsage, type Rates, type Usage } from '@relay-hub/contract';
import type { ParsedRequest } from '#relay/dialects/parsed-request.ts';

/** How a channel has a prompt counted before a call; see `LiveChannel.preCost`. */
const COUNT_ALL = 1;
const COUNT_NO_IMAGES = 2;

function countedInput({ inputTokens, imageTokens = 0 }: ParsedRequest, preCost: number): number {
  if (preCost === COUNT_ALL) return inputTokens;
  return preCost === COUNT_NO_IMAGES ? inputTokens - imageTokens : 0;
}

/** The prompt and the caller's limit for the answer; without a limit, the operator's flat amount. */
export function estimate(rates: Rates, request: ParsedRequest, flat: number, preCost = COUNT_ALL): number {
  const { outputLimit, assumed } = request;
  if (rates.free) return 0;
  const usage: Usage = assumed ?? { ...noUsage, input: countedInput(request, preCost), output: outputLimit ?? 0 };
  // Limits can be absurd; what no balance can cover must still be a number that a database takes.
  return Math.min(
    Number.MAX_SAFE_INTEGER,
    creditsFor(rates, usage) + (outputLimit === undefined && rates.type === 'tokens' ? flat : 0),
  );
}
