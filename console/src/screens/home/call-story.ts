import { explainCharge, noUsage, type ChargeExplained, type PriceInput, type Usage } from '@relay-hub/contract';

/** Milliseconds of the example call, as a log row would have them. */
export const callTimes = { refused: 380, retried: 400, first: 900, end: 2100 };

/** How much slower than the call its replay runs, so that the eye can follow. */
const slowdown = 2;

/** Milliseconds of the replay at which each part appears. */
export const shownAt = {
  refused: callTimes.refused * slowdown,
  retried: callTimes.retried * slowdown + 300,
  first: callTimes.first * slowdown,
  end: callTimes.end * slowdown,
  /** The invoice appears line by line. */
  invoice: (line: number): number => callTimes.end * slowdown + 250 + line * 140,
};

export interface CallStory {
  usage: Usage;
  charge: ChargeExplained;
  /** Credits of the account before and after the call. */
  before: number;
  after: number;
  tokensPerSecond: number;
}

/** An example call of a model, charged by the code that charges real calls. */
export function callStory(price: PriceInput, groupRatio: number): CallStory {
  // Anthropic counts the cache in addition to the prompt, others inside it.
  const besidePrompt = price.extra_ratios?.cached_read_ratio !== undefined;
  const cached = besidePrompt ? { cacheRead: 18_944, cacheWrite: 2_048 } : { cached: 18_944 };
  const usage = { ...noUsage, input: 3_412, ...cached, output: 54 };
  const charge = explainCharge(price, groupRatio, usage);
  let before = 5_000_000;
  // A call is admitted only if the balance covers it.
  while (before < charge.credits) before *= 10;
  const seconds = (callTimes.end - callTimes.first) / 1000;
  return {
    usage,
    charge,
    before,
    after: before - charge.credits,
    tokensPerSecond: Math.round(usage.output / seconds),
  };
}

/** The pieces of an answer in the order in which they stream, with the time at which the replay shows each. */
export function streamed(answer: string, language: string): { text: string; at: number }[] {
  const pieces = [...new Intl.Segmenter(language, { granularity: 'word' }).segment(answer)].map(
    ({ segment }) => segment,
  );
  const step = (shownAt.end - shownAt.first) / pieces.length;
  return pieces.map((text, index) => ({ text, at: Math.round(shownAt.first + index * step) }));
}
