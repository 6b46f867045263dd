/** Features of a Claude model by its name; generations differ in what they refuse. */
export interface AnthropicTraits {
  /** With a token budget, with an effort chosen by the model, or not at all. */
  thinking: 'none' | 'budget' | 'adaptive';
  /** Default thinking can be turned off. */
  canDisable: boolean;
  /** Effort `xhigh` is supported. */
  xhigh: boolean;
  /** Sampling parameters are accepted; temperature and top_p together. */
  sampling: boolean;
  bothSampling: boolean;
  /** A tool call can be forced. */
  forcedTools: boolean;
  /** Structured outputs are supported. */
  schemas: boolean;
  /** System messages are allowed after a user message. */
  midSystem: boolean;
  largestOutput: number;
}

type Family = 'opus' | 'sonnet' | 'haiku' | 'fable' | 'mythos' | 'instant';

const named = /claude-(opus|sonnet|haiku|fable|mythos|instant)(?:-(\d)(?:[-.](\d)(?!\d))?)?/;
const numbered = /claude-(\d)(?:[-.](\d)(?!\d))?(?:-(opus|sonnet|haiku))?/;

/** Undefined for another vendor's model, or a name without a version. */
function versionOf(model: string): { family: Family; version: number } | undefined {
  const name = model.toLowerCase();
  const [, numberMajor, numberMinor = '0', numberFamily = 'sonnet'] = numbered.exec(name) ?? [];
  if (numberMajor) return { family: numberFamily as Family, version: Number(`${numberMajor}.${numberMinor}`) };
  const [, family, major = '5', minor = '0'] = named.exec(name) ?? [];
  return family ? { family: family as Family, version: Number(`${major}.${minor}`) } : undefined;
}

const unknown: AnthropicTraits = {
  thinking: 'budget',
  canDisable: true,
  xhigh: false,
  sampling: true,
  bothSampling: true,
  forcedTools: true,
  schemas: false,
  midSystem: false,
  largestOutput: 8192,
};

export function anthropicTraits(model: string): AnthropicTraits {
  const found = versionOf(model);
  if (!found) return unknown;
  const { family, version } = found;
  const alwaysThinks = family === 'fable' || family === 'mythos' || (family === 'opus' && version >= 5.5);
  const latest = version >= 5 || (family === 'opus' && version >= 4.7);
  return {
    thinking: version < 3.7 ? 'none' : version < 4.6 ? 'budget' : 'adaptive',
    canDisable: !alwaysThinks,
    xhigh: latest,
    sampling: !latest,
    bothSampling: version < 4.1,
    forcedTools: !(family === 'fable' && version >= 5.1) && !(family === 'opus' && version >= 5.5),
    schemas: version >= 4.5,
    midSystem: alwaysThinks || (family === 'opus' && version >= 4.8),
    largestOutput: largestOutput(family, version),
  };
}

function largestOutput(family: Family, version: number): number {
  if (version < 3.5) return 4096;
  if (version < 3.7) return 8192;
  if (family === 'opus' && version < 4.5) return 32_000;
  return version < 4.6 ? 64_000 : 128_000;
}

/** max_tokens if the caller sets no limit; the field is required. */
export const defaultOutput = ({ largestOutput: largest }: AnthropicTraits): number => Math.min(largest, 32_000);
