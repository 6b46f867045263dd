import { isObject, listOr, objectOr, type Json } from '#json.ts';

/** Keywords whose value is one schema, a list of schemas, or schemas by name. */
const single = new Set(
  'items contains additionalProperties unevaluatedItems unevaluatedProperties propertyNames not if then else'.split(
    ' ',
  ),
);
const lists = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items']);
const named = new Set(['properties', 'patternProperties', 'dependentSchemas']);
/** Identify the schema or hold what references point to. */
const left = new Set(['$schema', '$id', '$anchor', '$comment', '$defs', 'definitions', '$ref']);

/** A schema that refers to itself is repeated this often within itself, and then left open. */
const REPEATED = 1;
/** Schemas written at most; beyond it they are left open, since references can multiply without bound. */
const MOST_SCHEMAS = 5000;

/**
 * A schema without references, which Gemini takes in few places and never with other keywords. Keywords next to a
 * reference win over those that it points to.
 */
export function withoutReferences(schema: Json): Json {
  let written = 0;

  function resolve(of: Json, within: readonly string[]): Json {
    if (++written > MOST_SCHEMAS) return {};
    const ref = of['$ref'];
    const own = Object.fromEntries(
      Object.entries(of).flatMap(([key, value]) => (left.has(key) ? [] : [[key, member(key, value, within)]])),
    );
    if (typeof ref !== 'string') return own;
    const target = pointed(schema, ref);
    if (!isObject(target)) return own;
    if (within.filter((one) => one === ref).length > REPEATED) return { ...open(target), ...own };
    return { ...resolve(target, [...within, ref]), ...own };
  }

  function member(key: string, value: unknown, within: readonly string[]): unknown {
    const nested = (inner: unknown): unknown => (isObject(inner) ? resolve(inner, within) : inner);
    if (Array.isArray(value)) return lists.has(key) ? value.map(nested) : value;
    if (single.has(key)) return nested(value);
    if (!named.has(key) || !isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, nested(inner)]));
  }

  return resolve(schema, []);
}

/** The rest of a schema where it would repeat itself without end. */
const open = ({ type, description }: Json): Json => ({
  ...(type !== undefined && { type }),
  ...(description !== undefined && { description }),
});

/** The place that a JSON pointer leads to; undefined: elsewhere, or nowhere. */
function pointed(root: Json, ref: string): unknown {
  if (ref === '#') return root;
  if (!ref.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const step of ref.slice(2).split('/')) {
    const name = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
    const holder = Array.isArray(at) ? Object.fromEntries(listOr(at).entries()) : objectOr(at);
    at = Object.hasOwn(holder, name) ? holder[name] : undefined;
  }
  return at;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // not percent-encoded
  }
}
