import type { Buffer } from 'node:buffer';
import { googleFileAt } from '#chat/gemini/google-files.ts';
import { hasWord, isObject } from '#json.ts';

/** Members with data of the caller's own tools and schemas. */
const ofCaller = new Set([
  'args',
  'response',
  'parameters',
  'parametersJsonSchema',
  'responseSchema',
  'responseJsonSchema',
  'labels',
]);
const fileMembers = new Set(['fileUri', 'file_uri']);
const cacheMembers = new Set(['cachedContent', 'cached_content']);

/** Google reads no names below this depth. */
const MAX_DEPTH = 24;

const words = ['ileUri', 'ile_uri', 'achedContent', 'ached_content', '\\u00'];

/** Whether a request may use files or caches: cheaper than parsing it. */
export const mayNameObjects = (body: Buffer): boolean => hasWord(body, words);

export const CACHES = 'cachedContents/';

/**
 * Distinct names of files (`files/ID`) and caches (`cachedContents/ID`) that a request in Google's dialect uses. The body
 * is searched first, because few use any; an escape may hide a name from that search.
 */
export function googleNamesIn(json: unknown, body: Buffer): string[] {
  if (!mayNameObjects(body)) return [];
  const found = new Set<string>();
  collect(json, 0, found);
  return [...found];
}

function collect(value: unknown, depth: number, found: Set<string>): void {
  if (depth > MAX_DEPTH) return;
  if (Array.isArray(value)) for (const one of value) collect(one, depth + 1, found);
  else if (isObject(value))
    for (const [name, one] of Object.entries(value)) {
      if (ofCaller.has(name)) continue;
      if (typeof one === 'object') collect(one, depth + 1, found);
      else if (typeof one === 'string' && one !== '') addName(name, one, found);
    }
}

function addName(member: string, value: string, found: Set<string>): void {
  const name = fileMembers.has(member)
    ? googleFileAt(value)
    : cacheMembers.has(member)
      ? CACHES + (value.split('/').at(-1) ?? '').slice(0, 200)
      : undefined;
  if (name !== undefined) found.add(name);
}
