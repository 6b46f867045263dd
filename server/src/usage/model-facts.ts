import rows from './model-facts.json' with { type: 'json' };

/** What is published about a model: the most tokens that it can read and write in one turn. */
export interface ModelFacts {
  context: number;
  output: number;
  /** False: it never reasons, so what it writes can be seen. */
  reasoning?: boolean;
  /** It reads pages of its own choice, whatever the request holds. */
  searches?: boolean;
}

const byName = new Map<string, ModelFacts>(rows.map((row) => [row.name, row]));

/** Callers choose names, so that they must not fill the memory. */
const MOST_KNOWN = 2000;
const found = new Map<string, ModelFacts | undefined>();

/**
 * The facts of a model, or of the family that its name begins with up to a `-`, `:` or `@`; undefined: nothing is known.
 * Names with a maker before a slash or dot (`openai/gpt-4o`, `us.anthropic.claude-…`) are found too.
 */
export function factsOf(model: string): ModelFacts | undefined {
  if (found.has(model)) return found.get(model);
  const facts = lookUp(model);
  if (found.size < MOST_KNOWN) found.set(model, facts);
  return facts;
}

function lookUp(model: string): ModelFacts | undefined {
  const name = model
    .toLowerCase()
    .slice(model.lastIndexOf('/') + 1)
    .replace(/^(?:[a-z-]+\.)?anthropic\./, '');
  for (
    let end = name.length;
    end > 0;
    end = Math.max(...['-', ':', '@'].map((mark) => name.lastIndexOf(mark, end - 1)))
  ) {
    const facts = byName.get(name.slice(0, end));
    // OpenRouter's way to have any model search.
    if (facts) return name.includes(':online') ? { ...facts, searches: true } : facts;
  }
  return undefined;
}
