import { isObject, type Json } from '#json.ts';

/** JSON Schema keywords that Claude's structured outputs accept; others are refused. */
const kept = new Set(['type', 'enum', 'const', '$ref', 'title', 'required', 'default']);
const nested = new Set(['properties', '$defs', 'definitions']);
const lists = new Set(['anyOf', 'allOf']);
const formats = new Set('date-time time date duration email hostname uri ipv4 ipv6 uuid'.split(' '));

/**
 * A schema that Claude accepts: objects are closed, and unsupported limits (ranges, lengths, patterns) move into the
 * description.
 */
export function claudeSchema(schema: Json): Json {
  const out: Json = {};
  const hints: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (kept.has(key)) out[key] = value;
    else if (nested.has(key) && isObject(value)) out[key] = mapValues(value, claudeValue);
    else if (lists.has(key) && Array.isArray(value)) out[key] = value.map(claudeValue);
    else if (key === 'oneOf' && Array.isArray(value)) out['anyOf'] = value.map(claudeValue);
    else if (key === 'items') out[key] = claudeValue(value);
    else if (key === 'format' && formats.has(String(value))) out[key] = value;
    else if (key === 'minItems' && (value === 0 || value === 1)) out[key] = value;
    else if (!['$schema', 'additionalProperties', 'description'].includes(key))
      hints.push(`${key}: ${JSON.stringify(value)}`);
  }
  if (isObjectSchema(schema)) out['additionalProperties'] = false;
  const description = [schema['description'], hints.length > 0 ? `(${hints.join(', ')})` : '']
    .filter(Boolean)
    .join(' ');
  if (description !== '') out['description'] = description;
  return out;
}

const claudeValue = (value: unknown): unknown => (isObject(value) ? claudeSchema(value) : value);

const mapValues = (of: Json, map: (value: unknown) => unknown): Json =>
  Object.fromEntries(Object.entries(of).map(([key, value]) => [key, map(value)]));

function isObjectSchema({ type, properties }: Json): boolean {
  return type === 'object' || (Array.isArray(type) && type.includes('object')) || isObject(properties);
}
