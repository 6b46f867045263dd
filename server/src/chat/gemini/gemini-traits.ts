/** Features of a Gemini model by its name. */
export interface GeminiTraits {
  /** With a token budget, with a level, or not at all. */
  thinking: 'none' | 'budget' | 'level';
  /** Pro models always think, within other bounds. */
  pro: boolean;
  /** Levels besides low and high. */
  medium: boolean;
  /** Calls sent back without a signature are refused. */
  signedCalls: boolean;
  /** Function results may contain pictures. */
  resultParts: boolean;
  /** Functions and JSON output can be combined. */
  jsonWithTools: boolean;
}

/** Maximum budgets, and the minimum of pro models. */
export const BUDGETS = { flash: 24_576, pro: 32_768, leastPro: 128 };

/** More stop sequences are refused. */
export const MOST_STOPS = 5;

export function geminiTraits(model: string): GeminiTraits {
  const name = model.toLowerCase();
  // A name without a version, such as gemini-flash-latest, means the newest.
  const version = Number(/gemini-(\d+(?:\.\d+)?)/.exec(name)?.[1] ?? (name.includes('gemini') ? 3 : 2));
  const pro = name.includes('pro');
  return {
    thinking: version < 2.5 ? 'none' : version < 3 ? 'budget' : 'level',
    pro,
    medium: !pro || version > 3,
    signedCalls: version >= 3,
    resultParts: version >= 3,
    jsonWithTools: version >= 3,
  };
}
