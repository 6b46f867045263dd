/** What a Gemini model takes, by its name. */
export interface GeminiTraits {
  /** Told by a budget, by a level, or not at all. */
  thinking: 'none' | 'budget' | 'level';
  /** The larger kind: it always thinks, within other bounds. */
  pro: boolean;
  /** Levels between the lowest and the highest. */
  medium: boolean;
  /** A call that comes back without its signature is refused. */
  signedCalls: boolean;
  /** A result of a function may hold pictures. */
  resultParts: boolean;
  /** Functions and an answer in JSON can be asked for at once. */
  jsonWithTools: boolean;
}

/** The highest budget of the two kinds, and the least of the larger one. */
export const BUDGETS = { flash: 24_576, pro: 32_768, leastPro: 128 };

/** More stop sequences than this are refused. */
export const MOST_STOPS = 5;

export function geminiTraits(model: string): GeminiTraits {
  const name = model.toLowerCase();
  // A name without a number, such as gemini-flash-latest, stands for the newest.
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
