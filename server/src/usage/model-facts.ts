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

/** Standard windows, where the row of the family has the largest one or none for the name. Sources as in the rows. */
const standardContext = new Map([
  ...['haiku-4-5', 'opus-4-0', 'opus-4-1', 'opus-4-5', 'sonnet-4-0', 'sonnet-4-5'].map(
    (name) => [`claude-${name}`, 200_000] as const,
  ),
  ...['mini', 'nano', 'pro', 'codex'].map((name) => [`gpt-5-${name}`, 400_000] as const),
  ['gpt-4', 8192],
]);

/**
 * Published context length of exactly this model, with or without a date in its name. Undefined where only the largest
 * of its family is known, which is right as a bound and wrong as a promise.
 */
export function contextOf(model: string): number | undefined {
  const name = bareName(model).replace(/[-@](?:20\d{2}-?\d{2}-?\d{2}|latest|\d{3,4})$/, '');
  return standardContext.get(name) ?? byName.get(name)?.context;
}

/** Without prefixes of vendors. */
const bareName = (model: string): string =>
  model
    .toLowerCase()
    .slice(model.lastIndexOf('/') + 1)
    .replace(/^(?:[a-z-]+\.)?anthropic\./, '');

function lookUp(model: string): ModelFacts | undefined {
  const name = bareName(model);
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
