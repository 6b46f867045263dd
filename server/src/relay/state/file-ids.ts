import type { Buffer } from 'node:buffer';
import { hasWord, isObject, listOr, textOr } from '#json.ts';

/**
 * Members in which `file_id` gives no access: data of the caller's own tools and schemas, and sources (`annotations`) of
 * an earlier answer.
 */
const withoutAccess = new Set([
  'annotations',
  'metadata',
  'client_metadata',
  'attributes',
  'parameters',
  'schema',
  'input_schema',
  'input_examples',
]);
/** Blocks whose `input` holds the arguments of a tool call. */
const toolCall = /(?:^|_)tool_use$/;

const words = ['file_id', '\\u00'];
/** No provider reads ids below this depth. */
const MAX_DEPTH = 16;

/**
 * Distinct ids of files that a request names. The body is searched first, because few name any; an escape may hide a
 * name from that search.
 */
export function fileIdsIn(json: unknown, body: Buffer): string[] {
  if (!hasWord(body, words)) return [];
  const found = new Set<string>();
  collect(json, 0, found);
  return [...found];
}

function collect(value: unknown, depth: number, found: Set<string>): void {
  if (depth > MAX_DEPTH) return;
  if (Array.isArray(value)) for (const one of value) collect(one, depth + 1, found);
  else if (isObject(value)) {
    const isCall = toolCall.test(textOr(value['type'], ''));
    for (const [name, one] of Object.entries(value)) {
      if (withoutAccess.has(name) || (isCall && name === 'input')) continue;
      if (name === 'file_id' || name === 'file_ids') addIds(one, found);
      if (typeof one === 'object') collect(one, depth + 1, found);
    }
  }
}

function addIds(value: unknown, found: Set<string>): void {
  for (const id of typeof value === 'string' ? [value] : listOr(value))
    if (typeof id === 'string' && id !== '') found.add(id);
}
