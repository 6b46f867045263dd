import type { Buffer } from 'node:buffer';
import type { DialectId } from '#chat/codec.ts';
import type { UpstreamObjectKind } from '#db/tables/kept-objects.ts';
import { fileIdsIn } from './file-ids.ts';
import { googleNamesIn } from './google-names.ts';
import { hostedIdsIn } from './hosted-ids.ts';

/** Kinds of the objects that `namedIn` finds. */
export const NAMED_KINDS: readonly UpstreamObjectKind[] = [
  'file',
  'cache',
  'vector_store',
  'container',
  'message_container',
  'skill',
];

/**
 * Distinct ids of files, vector stores, containers and skills, and names of caches, that a request in a dialect uses.
 * They have to be the caller's.
 */
export function namedIn(dialect: DialectId, json: unknown, body: Buffer): string[] {
  if (dialect === 'gemini') return googleNamesIn(json, body);
  const files = fileIdsIn(json, body);
  const hosted = hostedIdsIn(json, body);
  // Nearly all requests name neither.
  return hosted.length === 0 ? files : [...new Set([...files, ...hosted])];
}
