import type { ExtraRatios } from './price.ts';

/**
 * What a call costs, in one place: the server charges with it, and the console adds the same numbers up again to
 * explain a log row. Ratios are decimals and counts are integers, so the sum is computed exactly, in units of
 * 10^-scale credits, and rounded up to a whole credit once, at the end.
 */

/** Counters that never overlap. `input` and `output` are what no other counter covers. */
export interface Usage {
  input: number;
  /** Cached part of the prompt, as OpenAI-style providers count it (inside the prompt). */
  cached: number;
  /** Cache counters beside the prompt, as Anthropic counts them. */
  cacheRead: number;
  cacheWrite: number;
  cacheWrite1h: number;
  inputAudio: number;
  inputImage: number;
  output: number;
  outputAudio: number;
  reasoning: number;
}

export const noUsage: Usage = {
  input: 0,
  cached: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWrite1h: 0,
  inputAudio: 0,
  inputImage: 0,
  output: 0,
  outputAudio: 0,
  reasoning: 0,
};

export type UsageKind = keyof Usage;

/** What the provider calls the prompt: everything it read, but what was counted beside it. */
export const promptTokens = (usage: Usage): number => usage.input + usage.cached + usage.inputAudio + usage.inputImage;
export const completionTokens = (usage: Usage): number => usage.output + usage.outputAudio + usage.reasoning;

interface Kind {
  side: 'input' | 'output';
  /** Where a price can give this kind a multiple of its side's ratio, and the multiple when it does not. */
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
  output: { side: 'output' },
  outputAudio: { side: 'output', extra: { key: 'output_audio_tokens_ratio', fallback: 1 } },
  reasoning: { side: 'output', extra: { key: 'reasoning_tokens_ratio', fallback: 1 } },
};
const kindNames = Object.keys(kinds) as UsageKind[];

/** The multiple of its side's ratio that a kind of token costs. */
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
  /** Credits of one call with a `times` price; whole, rounded down. */
  perCall: number;
  /** Whether anything could cost something; a call at a free price is not charged the minimum. */
  free: boolean;
}

/** Works out once what every call at this price and group ratio multiplies with. */
export function ratesOf(terms: PriceTerms, groupRatio: number): Rates {
  const group = decimal(groupRatio);
  const side = { input: times(decimal(terms.input), group), output: times(decimal(terms.output), group) };
  const each = kindNames.map((kind) => times(side[kinds[kind].side], decimal(extraRatio(kind, terms.extra_ratios))));
  const scale = Math.max(...each.map((d) => d.scale));
  const perToken = Object.fromEntries(
    kindNames.map((kind, i) => [kind, each[i]!.digits * 10n ** BigInt(scale - each[i]!.scale)]),
  ) as Record<UsageKind, bigint>;
  const perCall = Number((side.input.digits * 1000n) / 10n ** BigInt(side.input.scale));
  const free = terms.type === 'times' ? side.input.digits === 0n : each.every((d) => d.digits === 0n);
  return { type: terms.type, scale, unit: 10n ** BigInt(scale), perToken, perCall, free };
}

/**
 * Credits for an answered call: rounded up once, and at least 1 where the price and group ratio are above zero.
 * A `times` price is charged whether or not tokens were reported.
 */
export function creditsFor(rates: Rates, usage: Usage): number {
  if (rates.free) return 0;
  if (rates.type === 'times') return Math.max(1, rates.perCall);
  let sum = 0n;
  for (const kind of kindNames) {
    const count = usage[kind];
    if (count > 0) sum += BigInt(count) * rates.perToken[kind];
  }
  const whole = Number((sum + rates.unit - 1n) / rates.unit);
  return Math.max(1, whole);
}

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
  /** What rounding up, or the minimum of one credit, added. */
  rounding: string;
  credits: number;
}

/** The charge as an invoice: parts, their sum, the rounding, the whole. */
export function explainCharge(terms: PriceTerms, groupRatio: number, usage: Usage): ChargeExplained {
  const rates = ratesOf(terms, groupRatio);
  const credits = creditsFor(rates, usage);
  if (terms.type === 'times') {
    const exact = times(times(decimal(terms.input), decimal(groupRatio)), { digits: 1000n, scale: 0 });
    const ratio = format(times(decimal(terms.input), { digits: 1000n, scale: 0 }));
    return {
      parts: [{ kind: 'call', count: 1, ratio, credits: format(exact) }],
      subtotal: format(exact),
      rounding: format(minus({ digits: BigInt(credits), scale: 0 }, exact)),
      credits,
    };
  }
  let sum = 0n;
  const parts: ChargePart[] = [];
  for (const kind of kindNames) {
    const count = usage[kind];
    if (count <= 0) continue;
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

/** digits × 10^-scale */
interface Decimal {
  digits: bigint;
  scale: number;
}

/** The decimal that a JSON number was written as: the shortest text that reads back as the same number. */
function decimal(value: number): Decimal {
  const [mantissa = '0', exponent = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

function times(a: Decimal, b: Decimal): Decimal {
  return { digits: a.digits * b.digits, scale: a.scale + b.scale };
}

function minus(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  const at = (d: Decimal) => d.digits * 10n ** BigInt(scale - d.scale);
  return { digits: at(a) - at(b), scale };
}

function format({ digits, scale }: Decimal): string {
  const negative = digits < 0n;
  const text = (negative ? -digits : digits).toString().padStart(scale + 1, '0');
  const fraction = scale === 0 ? '' : text.slice(-scale).replace(/0+$/, '');
  const whole = scale === 0 ? text : text.slice(0, -scale);
  return (negative ? '-' : '') + whole + (fraction === '' ? '' : `.${fraction}`);
}
