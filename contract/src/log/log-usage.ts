import { type CacheSavings, cacheSavings } from '../price/cache-savings.ts';
import { addCredits, type ChargeExplained, explainCharge, ratesOf, shareOf, withOther } from '../price/charge.ts';
import {
  completionTokens,
  extraRatio,
  noUsage,
  promptTokens,
  tokensFromCache,
  type Usage,
  type UsageKind,
} from '../price/usage-kinds.ts';
import type { Log, LogMetadata } from './log.ts';
import type { ExtraRatios } from '../price/extra-ratios.ts';

/** Log row fields of the counters with a ratio: count and ratio. */
const kept = [
  ['cached', 'cached_tokens', 'cached_tokens_ratio'],
  ['cachedAudio', 'cached_audio_tokens', 'cached_audio_tokens_ratio'],
  ['cachedImage', 'cached_image_tokens', 'cached_image_tokens_ratio'],
  ['cacheRead', 'cached_read_tokens', 'cached_read_ratio'],
  ['cacheWrite', 'cached_write_tokens', 'cached_write_ratio'],
  ['cacheWrite1h', 'cached_write_1h_tokens', 'cached_write_1h_ratio'],
  ['inputAudio', 'input_audio_tokens', 'input_audio_tokens_ratio'],
  ['inputImage', 'input_image_tokens', 'input_image_tokens_ratio'],
  ['audioSeconds', 'audio_seconds', 'audio_seconds_ratio'],
  ['outputAudio', 'output_audio_tokens', 'output_audio_tokens_ratio'],
  ['outputImage', 'output_image_tokens', 'output_image_tokens_ratio'],
  ['reasoning', 'reasoning_tokens', 'reasoning_tokens_ratio'],
] as const satisfies readonly (readonly [UsageKind, keyof LogMetadata, keyof ExtraRatios & keyof LogMetadata])[];

type UsageRow = Pick<Log, 'prompt_tokens' | 'completion_tokens' | 'metadata'>;

/** The log row fields of a usage: both totals, and every nonzero counter with the ratio charged. */
export function usageRow(
  usage: Usage,
  ratios: ExtraRatios | undefined,
): { prompt_tokens: number; completion_tokens: number; metadata: LogMetadata } {
  const metadata: Record<string, number> = {};
  for (const [kind, count, ratio] of kept) {
    if (usage[kind] === 0) continue;
    metadata[count] = usage[kind];
    metadata[ratio] = extraRatio(kind, ratios);
  }
  if (usage.units !== 0) metadata['units'] = usage.units;
  return { prompt_tokens: promptTokens(usage), completion_tokens: completionTokens(usage), metadata };
}

/** The usage of a row. Imported rows can be inconsistent; counters are clamped at zero. */
export function usageOf(row: UsageRow): Usage {
  const m = row.metadata ?? {};
  const counts = { ...noUsage };
  for (const [kind, count] of kept) counts[kind] = m[count] ?? 0;
  return {
    ...counts,
    input: Math.max(0, row.prompt_tokens - promptTokens(counts)),
    output: Math.max(0, row.completion_tokens - completionTokens(counts)),
    units: m.units ?? 0,
  };
}

/** The ratios charged for the counters of a row. */
export const extraRatiosOf = ({ metadata }: Pick<UsageRow, 'metadata'>): ExtraRatios =>
  Object.fromEntries(kept.map(([, , ratio]) => [ratio, metadata?.[ratio]])); // undefined ratios are absent in JSON

/** Savings of prompt caches in a row, at the rates of its charge; undefined without a price or cached tokens. */
export function savingsOf(row: UsageRow): CacheSavings | undefined {
  if (row.metadata?.reply_cache) return undefined;
  const { price_type: type, input_ratio: input, output_ratio: output = 0, group_ratio: group } = row.metadata ?? {};
  const usage = usageOf(row);
  if (type === undefined || input === undefined || group === undefined || cacheTokens(usage) === 0) return undefined;
  const terms = { type, input, output, extra_ratios: extraRatiosOf(row) };
  return cacheSavings(ratesOf(terms, group, row.metadata?.rules), usage);
}

const cacheTokens = (usage: Usage): number => tokensFromCache(usage) + usage.cacheWrite + usage.cacheWrite1h;

/** Known costs of all attempts of a row, in credits as decimal text; undefined: unknown. */
export function costOfRow({ metadata }: Pick<UsageRow, 'metadata'>): string | undefined {
  const known = metadata?.attempts?.flatMap(({ cost }) => (cost ? [cost.credits] : [])) ?? [];
  return known.length === 0 ? undefined : known.reduce((sum, credits) => addCredits(sum, credits), '0');
}

/** Thousandths of a credit, the unit in which costs are summed up; rounded half up, and not below zero. */
export function thousandthsOf(credits: string): number {
  const [whole = '0', fraction = ''] = credits.split('.');
  if (whole.startsWith('-')) return 0;
  const digits = BigInt(whole + fraction.slice(0, 3).padEnd(3, '0')) + (fraction.charAt(3) >= '5' ? 1n : 0n);
  return Number(digits < mostThousandths ? digits : mostThousandths);
}

/** More than any attempt costs, so that sums of many stay exact. */
const mostThousandths = 10n ** 13n;

/** Known costs of a row in thousandths of a credit. */
export interface RowCosts {
  /** By channel, one for each attempt with a known cost. */
  attempts: [channelId: number, thousandths: number][];
  total: number;
  /** The cost of the last attempt, which made the charge, is known. */
  knowsLast: boolean;
}

/** The costs of a row; undefined: none is known. A reply from the cache has none, which is known. */
export function costsOf({ metadata }: Pick<UsageRow, 'metadata'>): RowCosts | undefined {
  if (metadata?.reply_cache) return { attempts: [], total: 0, knowsLast: true };
  const all = metadata?.attempts ?? [];
  const attempts = all.flatMap(({ channel_id: id, cost }): [number, number][] =>
    cost ? [[id, thousandthsOf(cost.credits)]] : [],
  );
  if (attempts.length === 0) return undefined;
  const total = attempts.reduce((sum, [, cost]) => sum + cost, 0);
  return { attempts, total, knowsLast: all.at(-1)?.cost !== undefined };
}

/** The charge of a row, by the row's own values alone; undefined for rows without a price, such as imported ones. */
export function explainRow(row: UsageRow): ChargeExplained | undefined {
  const { price_type: type, input_ratio: input, output_ratio: output = 0, group_ratio: group } = row.metadata ?? {};
  if (type === undefined || input === undefined || group === undefined) return undefined;
  const { rules, fees = [] } = row.metadata ?? {};
  const terms = {
    type,
    input,
    output,
    extra_ratios: extraRatiosOf(row),
    fees: fees.map(({ event, fee }) => ({ event, fee, most: 1 })),
  };
  const events = Object.fromEntries(fees.map(({ event, count }) => [event, count]));
  const own = explainCharge(terms, group, usageOf(row), { rules, events });
  const whole = (row.metadata?.models ?? []).reduce((sum, { model, prompt_tokens, completion_tokens, ...counts }) => {
    const other = explainRow({ prompt_tokens, completion_tokens, metadata: { ...counts, group_ratio: group } });
    return other ? withOther(sum, other, model) : sum;
  }, own);
  const { reply_cache: cached } = row.metadata ?? {};
  if (!cached) return whole;
  const { percent } = cached;
  return { ...whole, credits: shareOf(whole.credits, percent), whole: whole.credits, percent };
}
