import rows from './model-facts.json' with { type: 'json' };

/** Published limits of a model, in tokens per turn. */
export interface ModelFacts {
  context: number;
  output: number;
  /** False: never reasons, so all its output is visible. */
  reasoning?: boolean;
  /** Reasons only if the request asks for it. */
  reasonsOnRequest?: boolean;
  /** Performs its own web searches, whatever the request contains. */
  searches?: boolean;
}

const byName = new Map<string, ModelFacts>(rows.map((row) => [row.name, row]));

/** Callers choose names, so the cache is bounded. */
const MOST_KNOWN = 2000;
const found = new Map<string, ModelFacts | undefined>();

/**
 * The facts of a model, or of its family: a prefix that ends before `-`, `:` or `@`. Vendor prefixes (`openai/gpt-4o`,
 * `us.anthropic.claude-…`) are skipped. Undefined for unknown models.
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
    // OpenRouter's suffix that adds web search to any model.
    if (facts) return name.includes(':online') ? { ...facts, searches: true } : facts;
  }
  return undefined;
}
