import { creditsFor, noUsage, type Rates, type Usage } from '@relay-hub/contract';
import type { FittedOptions } from '#relay/types/call-types.ts';
import type { ParsedRequest } from '#relay/types/parsed-request.ts';

/** Values of `LiveChannel.preCost`: how the prompt is counted before a call. */
const COUNT_ALL = 1;
const COUNT_NO_IMAGES = 2;

/** Output tokens reserved for a request without an output limit whose usage is only known later: batches, background. */
export const DEFERRED_OUTPUT = 4096;

/** Prompt tokens that are reserved for, by the channel's setting. */
export function countedInput({ inputTokens, imageTokens = 0 }: ParsedRequest, preCost: number): number {
  if (preCost === COUNT_ALL) return inputTokens;
  return preCost === COUNT_NO_IMAGES ? inputTokens - imageTokens : 0;
}

/** Credits to reserve: prompt and output limit, or the operator's flat amount if there is no limit. */
export function estimate(
  { rates, options }: { rates: Rates; options?: Pick<FittedOptions, 'events' | 'otherCredits'> | undefined },
  request: ParsedRequest,
  flat: number,
  preCost = COUNT_ALL,
): number {
  const { outputLimit, assumed } = request;
  const ofOthers = options?.otherCredits ?? 0;
  if (rates.free) return ofOthers;
  const usage: Usage = assumed ?? { ...noUsage, input: countedInput(request, preCost), output: outputLimit ?? 0 };
  // Output limits can be absurd, and the database stores safe integers only.
  return Math.min(
    Number.MAX_SAFE_INTEGER,
    creditsFor(rates, usage, options?.events) +
      ofOthers +
      (outputLimit === undefined && rates.type === 'tokens' ? flat : 0),
  );
}
