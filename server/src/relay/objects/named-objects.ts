import type { Buffer } from 'node:buffer';
import type { DialectId } from '#chat/codec.ts';
import { fileIdsIn } from './file-ids.ts';
import { googleNamesIn } from './google-names.ts';

/** Distinct ids of files, and names of caches, that a request in a dialect uses. They have to be the caller's. */
export const namedIn = (dialect: DialectId, json: unknown, body: Buffer): string[] =>
  dialect === 'gemini' ? googleNamesIn(json, body) : fileIdsIn(json, body);
