import { decimal, format, minus, times } from './decimal.ts';
import type { ExtraRatios } from './price-input.ts';

/**
 * The cost of a call. The server charges with it, and the console uses it to
 * explain a log row. Ratios are decimals and counts are integers, so the sum is computed exactly, in units of
 * 10^-scale credits, and rounded up to a whole credit once, at the end.
 */

/**
 * The normal form of usage: whole counters from 0 that never overlap. `input` and `output` are what no other counter
 * covers. docs/usage.md says how each wire format becomes this.
 */
export interface Usage {
  input: number;
  /** Cached part of the prompt, as OpenAI-style providers count it (inside the prompt). */
  cached: number;
  /** Cache counters outside of the prompt, as Anthropic counts them. */
  cacheRead: number;
  cacheWrite: number;
  cacheWrite1h: number;
  inputAudio: number;
  inputImage: number;
  /** Seconds of audio, if a provider counts these instead of tokens. */
  audioSeconds: number;
  output: number;
  outputAudio: number;
  outputImage: number;
  reasoning: number;
  /** Units of a `times` price, such as images or searches. 0 (not reported) counts as one. */
  units: number;
}

export const noUsage: Usage = {
  input: 0,
  cached: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWrite1h: 0,
  inputAudio: 0,
  inputImage: 0,
  audioSeconds: 0,
  output: 0,
  outputAudio: 0,
  outputImage: 0,
  reasoning: 0,
  units: 0,
};

/** Counters charged by a `tokens` price. */
export type UsageKind = Exclude<keyof Usage, 'units'>;

/** Prompt tokens as providers count them, without separate cache counters. */
export const promptTokens = (usage: Usage): number => usage.input + usage.cached + usage.inputAudio + usage.inputImage;
export const completionTokens = (usage: Usage): number =>
  usage.output + usage.outputAudio + usage.outputImage + usage.reasoning;

/** All input tokens, including separate cache counters. */
export const inputTokens = (usage: Usage): number =>
  promptTokens(usage) + usage.cacheRead + usage.cacheWrite + usage.cacheWrite1h;

interface Kind {
  side: 'input' | 'output';
  /** The price field with this kind's multiple of its side's ratio, and the default. */
  extra?: { key: keyof ExtraRatios; fallback: number };
}

const kinds: Record<UsageKind, Kind> = {
  input: { side: 'input' },
  cached: { side: 'input', extra: { key: 'cached_tokens_ratio', fallback: 0.5 } },
  cacheRead: { side: 'input', extra: { key: 'cached_read_ratio', fallback: 0.1 } },
  cacheWrite: { side: 'input', extra: { key: 'cached_write_ratio', fallback: 1.25 } },
  cacheWrite1h: { side: 'input', extra: { key: 'cached_write_1h_ratio', fallback: 2 } },
  inputAudio: { side: 'input', extra: { key: 'input_audio_tokens_ratio', fallback: 1 } },
  inputImage: { side: 'input', extra: { key: 'input_image_tokens_ratio', fallback: 1 } },
  // A minute of speech is about 200 tokens of text, which is how transcription is priced by the second.
  audioSeconds: { side: 'input', extra: { key: 'audio_seconds_ratio', fallback: 3.3333333333 } },
  output: { side: 'output' },
  outputAudio: { side: 'output', extra: { key: 'output_audio_tokens_ratio', fallback: 1 } },
  outputImage: { side: 'output', extra: { key: 'output_image_tokens_ratio', fallback: 1 } },
  reasoning: { side: 'output', extra: { key: 'reasoning_tokens_ratio', fallback: 1 } },
};
const kindNames = Object.keys(kinds) as UsageKind[]; // the keys of the record above

/** A kind of token with its own price, a multiple of its side's ratio. */
export interface ExtraKind {
  kind: UsageKind;
  side: 'input' | 'output';
  key: keyof ExtraRatios;
  /** Default multiple. */
  fallback: number;
}

export const extraKinds: readonly ExtraKind[] = kindNames.flatMap((kind) => {
  const { side, extra } = kinds[kind];
  return extra ? [{ kind, side, ...extra }] : [];
});

/** The multiple of its side's ratio for a kind of token. */
export function extraRatio(kind: UsageKind, extra: ExtraRatios | undefined): number {
  const { extra: own } = kinds[kind];
  return own ? (extra?.[own.key] ?? own.fallback) : 1;
}

export interface PriceTerms {
  type: 'tokens' | 'times';
  input: number;
  output: number;
  extra_ratios?: ExtraRatios | undefined;
}

/** A price for one group, ready to multiply: whole numbers in units of 10^-scale credits. */
export interface Rates {
  type: 'tokens' | 'times';
  scale: number;
  unit: bigint;
  perToken: Record<UsageKind, bigint>;
  /** Price of one unit at a `times` price. */
  perUnit: bigint;
  /** Whether all rates are zero; free calls are not charged the minimum. */
  free: boolean;
}

/** Precomputes the rates of a price and a group ratio. */
export function ratesOf(terms: PriceTerms, groupRatio: number): Rates {
  const group = decimal(groupRatio);
  const side = { input: times(decimal(terms.input), group), output: times(decimal(terms.output), group) };
  const each = kindNames.map((kind) => ({
    kind,
    ...times(side[kinds[kind].side], decimal(extraRatio(kind, terms.extra_ratios))),
  }));
  const scale = Math.max(...each.map((rate) => rate.scale));
  const perToken = Object.fromEntries(
    each.map((rate) => [rate.kind, rate.digits * 10n ** BigInt(scale - rate.scale)]),
  ) as Record<UsageKind, bigint>; // `kindNames` has every kind
  const perUnit = side.input.digits * 1000n * 10n ** BigInt(scale - side.input.scale);
  const free = terms.type === 'times' ? side.input.digits === 0n : each.every(({ digits }) => digits === 0n);
  return { type: terms.type, scale, unit: 10n ** BigInt(scale), perToken, perUnit, free };
}

/** Invalid counts cost nothing. */
const isCount = (count: number): boolean => Number.isSafeInteger(count) && count > 0;

/** Units charged at a `times` price. */
const unitsOf = ({ units }: Usage): number => (isCount(units) ? units : 1);

/** Larger amounts are a pricing mistake, and not exact in JSON. */
const mostCredits = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Credits for an answered call: at least 1 where the price and group ratio are above zero. Tokens are rounded up once.
 * A `times` price is charged whether or not tokens were reported, and rounded down, as the product line always did.
 */
export function creditsFor(rates: Rates, usage: Usage): number {
  if (rates.free) return 0;
  if (rates.type === 'times') return capped((BigInt(unitsOf(usage)) * rates.perUnit) / rates.unit);
  let sum = 0n;
  for (const kind of kindNames) {
    const count = usage[kind];
    if (isCount(count)) sum += BigInt(count) * rates.perToken[kind];
  }
  return capped((sum + rates.unit - 1n) / rates.unit);
}

const capped = (credits: bigint): number => Math.max(1, Number(credits < mostCredits ? credits : mostCredits));

export interface ChargePart {
  kind: UsageKind | 'call';
  count: number;
  /** Price ratio × the kind's own ratio, before the group's; a decimal as text. */
  ratio: string;
  /** count × ratio × group ratio, exact. */
  credits: string;
}

export interface ChargeExplained {
  parts: ChargePart[];
  /** Sum of the parts, exact. */
  subtotal: string;
  /** Effect of rounding or of the minimum of one credit; negative if a `times` price was rounded down. */
  rounding: string;
  credits: number;
}

/** Explains a charge like an invoice: parts, subtotal, rounding, total. */
export function explainCharge(terms: PriceTerms, groupRatio: number, usage: Usage): ChargeExplained {
  const rates = ratesOf(terms, groupRatio);
  const credits = creditsFor(rates, usage);
  if (terms.type === 'times') {
    const count = unitsOf(usage);
    const exact = { digits: BigInt(count) * rates.perUnit, scale: rates.scale };
    const ratio = format(times(decimal(terms.input), { digits: 1000n, scale: 0 }));
    return {
      parts: [{ kind: 'call', count, ratio, credits: format(exact) }],
      subtotal: format(exact),
      rounding: format(minus({ digits: BigInt(credits), scale: 0 }, exact)),
      credits,
    };
  }
  let sum = 0n;
  const parts: ChargePart[] = [];
  for (const kind of kindNames) {
    const count = usage[kind];
    if (!isCount(count)) continue;
    const cost = BigInt(count) * rates.perToken[kind];
    sum += cost;
    const sideRatio = decimal(kinds[kind].side === 'input' ? terms.input : terms.output);
    const ratio = format(times(sideRatio, decimal(extraRatio(kind, terms.extra_ratios))));
    parts.push({ kind, count, ratio, credits: format({ digits: cost, scale: rates.scale }) });
  }
  const subtotal = { digits: sum, scale: rates.scale };
  const rounding = minus({ digits: BigInt(credits), scale: 0 }, subtotal);
  return { parts, subtotal: format(subtotal), rounding: format(rounding), credits };
}
