import { RelayError } from '#relay/reply/relay-error.ts';
import { CACHES } from './google-names.ts';

/** What clients call an object, and the code of its refusal, by the start of its id. */
const nouns: readonly (readonly [start: string, noun: string, code: string])[] = [
  ['vs_', 'vector store', 'vector_store_not_found'],
  ['cntr_', 'container', 'container_not_found'],
  ['container_', 'container', 'container_not_found'],
  ['skill_', 'skill', 'skill_not_found'],
  [CACHES, 'cache', 'file_not_found'],
];

/** 404 for a file or another object that this user has not made. */
export function fileNotFound(id: string): RelayError {
  const [, noun, code = 'file_not_found'] = nouns.find(([start]) => id.startsWith(start)) ?? [];
  const message = noun === undefined ? `No such File object: ${id}` : `There is no ${noun} '${id}'.`;
  return new RelayError(404, message, { type: 'invalid_request_error', code, param: 'id' });
}
