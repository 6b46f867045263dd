import type { ExtraRatios } from './extra-ratios.ts';

/**
 * The normal form of usage: whole counters from 0 that never overlap. `input` and `output` are what no other counter
 * covers. docs/usage.md says how each wire format becomes this.
 */
export interface Usage {
  input: number;
  /** Cached part of the prompt, as OpenAI-style providers count it (inside the prompt). */
  cached: number;
  /** Its sound and pictures, where a provider reports them apart. */
  cachedAudio: number;
  cachedImage: number;
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
  cachedAudio: 0,
  cachedImage: 0,
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
export const promptTokens = (usage: Usage): number =>
  usage.input + cachedTokens(usage) + usage.inputAudio + usage.inputImage;

/** Tokens of the prompt that came from a cache, without separate cache counters. */
export const cachedTokens = (usage: Usage): number => usage.cached + usage.cachedAudio + usage.cachedImage;

/** All tokens that were read from a cache, by either way of counting. */
export const tokensFromCache = (usage: Usage): number => cachedTokens(usage) + usage.cacheRead;

export const completionTokens = (usage: Usage): number =>
  usage.output + usage.outputAudio + usage.outputImage + usage.reasoning;

/** All input tokens, including separate cache counters. */
export const inputTokens = (usage: Usage): number =>
  promptTokens(usage) + usage.cacheRead + usage.cacheWrite + usage.cacheWrite1h;

export interface Kind {
  side: 'input' | 'output';
  /** The price field with this kind's multiple of its side's ratio, and the default: a number, or another kind's. */
  extra?: { key: keyof ExtraRatios; fallback: number | UsageKind };
}

const kinds: Record<UsageKind, Kind> = {
  input: { side: 'input' },
  cached: { side: 'input', extra: { key: 'cached_tokens_ratio', fallback: 0.5 } },
  cachedAudio: { side: 'input', extra: { key: 'cached_audio_tokens_ratio', fallback: 'cached' } },
  cachedImage: { side: 'input', extra: { key: 'cached_image_tokens_ratio', fallback: 'cached' } },
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
export const kindNames: readonly UsageKind[] = Object.keys(kinds) as UsageKind[]; // the keys of the record above

/** A kind of token with its own price, a multiple of its side's ratio. */
export interface ExtraKind {
  kind: UsageKind;
  side: 'input' | 'output';
  key: keyof ExtraRatios;
}

export const extraKinds: readonly ExtraKind[] = kindNames.flatMap((kind) => {
  const { side, extra } = kinds[kind];
  return extra ? [{ kind, side, key: extra.key }] : [];
});

export const kindOf = (kind: UsageKind): Readonly<Kind> => kinds[kind];

/** The multiple of its side's ratio for a kind of token. */
export function extraRatio(kind: UsageKind, extra: ExtraRatios | undefined): number {
  const { extra: own } = kinds[kind];
  if (!own) return 1;
  return extra?.[own.key] ?? (typeof own.fallback === 'number' ? own.fallback : extraRatio(own.fallback, extra));
}

/** The multiple of a kind that a rule names, also by the kind whose multiple it has by default; undefined: none. */
export function ruleRatio(kind: UsageKind, named: ExtraRatios | undefined): number | undefined {
  const { extra: own } = kinds[kind];
  if (!named || !own) return undefined;
  return named[own.key] ?? (typeof own.fallback === 'string' ? ruleRatio(own.fallback, named) : undefined);
}
