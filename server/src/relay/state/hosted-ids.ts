import type { Buffer } from 'node:buffer';
import { hasWord, isObject, listOr, objectOr, textOr } from '#json.ts';

/** Members of a tool with names and values of the caller. */
const ofCaller = new Set(['parameters', 'input_schema', 'schema', 'headers', 'filters', 'metadata', 'attributes']);
/** Members with the id of an object that a provider keeps, or a list of ids. */
const idMembers = new Set(['vector_store_id', 'vector_store_ids', 'container', 'container_id', 'skill_id']);

const words = ['vector_store', 'container', 'skill_id', '\\u00'];
/** No provider reads ids below this depth. */
const MAX_DEPTH = 8;

/**
 * Distinct ids of vector stores, containers and skills that the tools of a request name, and of Anthropic's `container`
 * with the skills that it loads. The body is searched first, because few name any; an escape may hide a name from that
 * search.
 */
export function hostedIdsIn(json: unknown, body: Buffer): string[] {
  if (!hasWord(body, words)) return [];
  const { tools, container } = objectOr(json);
  const found = new Set<string>();
  for (const tool of listOr(tools)) collect(tool, 0, found);
  const { id = container, skills } = objectOr(container);
  if (typeof id === 'string' && id !== '') found.add(id);
  for (const skill of listOr(skills)) collect(skill, 0, found);
  return [...found];
}

function collect(value: unknown, depth: number, found: Set<string>): void {
  if (depth > MAX_DEPTH) return;
  if (Array.isArray(value)) for (const one of value) collect(one, depth + 1, found);
  else if (isObject(value) && !isOfProvider(value['type'], value['skill_id']))
    for (const [name, one] of Object.entries(value)) {
      if (ofCaller.has(name)) continue;
      if (idMembers.has(name))
        for (const id of typeof one === 'string' ? [one] : listOr(one))
          if (typeof id === 'string' && id !== '') found.add(id);
      if (typeof one === 'object') collect(one, depth + 1, found);
    }
}

/** A skill that the provider offers to all accounts. */
const isOfProvider = (type: unknown, skillId: unknown): boolean =>
  (type === 'anthropic' && skillId !== undefined) || textOr(skillId, '').startsWith('openai-');
