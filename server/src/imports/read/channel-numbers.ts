import type { Program } from '../program.ts';

/** How an old channel type becomes one of ours. */
export interface ChannelNumber {
  type: number;
  /** Address of the old program where the channel has none; absent: that of our type. */
  baseUrl?: string;
  /** Paths of OpenAI-compatible vendors, by one-hub's numbers of request kinds. */
  paths?: Record<string, string>;
}

const OPENAI_COMPATIBLE = 8;
const compatible = (baseUrl: string, paths?: ChannelNumber['paths']): ChannelNumber => ({
  type: OPENAI_COMPATIBLE,
  ...(baseUrl && { baseUrl }),
  ...(paths && { paths }),
});

/** Resellers that all programs of the family number alike. */
const resellers: Record<number, ChannelNumber> = {
  4: compatible('https://api.closeai-proxy.xyz'),
  6: compatible('https://api.openaimax.com'),
  7: compatible('https://api.ohmygpt.com'),
  9: compatible('https://api.caipacity.com'),
  10: compatible('https://api.aiproxy.io'),
  12: compatible('https://api.api2gpt.com'),
  13: compatible('https://api.aigc2d.com'),
  21: compatible('https://api.aiproxy.io'),
  22: compatible('https://fastgpt.run/api/openapi'),
};

const volcengine = compatible('https://ark.cn-beijing.volces.com', {
  1: '/api/v3/chat/completions',
  3: '/api/v3/embeddings',
  5: '/api/v3/images/generations',
});

const same = (...types: number[]): Record<number, ChannelNumber> =>
  Object.fromEntries(types.map((type) => [type, { type }]));

const ofOneApi: Record<number, ChannelNumber> = {
  ...resellers,
  ...same(1, 3, 8, 11, 14, 15, 16, 17, 18, 19, 20),
  2: compatible('https://oa.api2d.net'),
  5: compatible('https://api.openai-sb.com'),
  23: { type: 40 },
  24: { type: 25 },
  25: { type: 29 },
  26: { type: 26 },
  27: { type: 27 },
  28: { type: 30 },
  29: { type: 31 },
  30: { type: 39 },
  31: { type: 33 },
  32: compatible('https://api.stepfun.com'),
  33: { type: 32 },
  34: { type: 38 },
  35: { type: 36 },
  36: { type: 28 },
  37: { type: 35 },
  39: compatible('https://api.together.xyz'),
  40: volcengine,
  41: compatible('https://api.novita.ai/v3/openai', { 1: '/chat/completions' }),
  42: { type: 42 },
  43: compatible(''),
  44: { type: 45 },
  45: { type: 56 },
  46: { type: 52 },
  47: { type: 15 },
  48: { type: 18 },
  49: { type: 17 },
  50: compatible(''),
  51: { type: 25 },
};

const ofNewApi: Record<number, ChannelNumber> = {
  ...resellers,
  ...same(1, 3, 8, 11, 14, 15, 16, 17, 18, 19, 20),
  2: { type: 34 },
  4: { type: 39 },
  5: { type: 34 },
  23: { type: 40 },
  24: { type: 25 },
  25: { type: 29 },
  26: { type: 16 },
  27: compatible('https://api.perplexity.ai', { 1: '/chat/completions' }),
  31: { type: 33 },
  33: { type: 32 },
  34: { type: 36 },
  35: { type: 27 },
  36: { type: 41 },
  38: { type: 47 },
  39: { type: 35 },
  40: { type: 45 },
  41: { type: 42 },
  42: { type: 30 },
  43: { type: 28 },
  44: compatible('https://api.moka.ai'),
  45: volcengine,
  46: { type: 15 },
  47: compatible(''),
  48: { type: 56 },
  49: { type: 38 },
  50: { type: 53 },
  51: { type: 106 },
  52: { type: 103 },
  53: compatible('https://llm.submodel.ai'),
  54: { type: 105 },
  56: { type: 52 },
  59: compatible(''),
  60: compatible(''),
};

/** Numbers without an adapter in one-hub are OpenAI-compatible there. */
const plainOfOneHub = new Set([2, 4, 5, 6, 7, 9, 10, 12, 13, 21, 22, 43, 44, 46, 48, 50]);

/** Our type of an old channel; undefined if there is none. */
export function channelNumber(program: Program, type: number): ChannelNumber | undefined {
  if (program === 'one-api') return ofOneApi[type];
  if (program === 'new-api') return ofNewApi[type];
  return plainOfOneHub.has(type) ? compatible('') : { type };
}
