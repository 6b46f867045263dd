import type { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import { isObject } from '#json.ts';
import { withoutMembers } from '#relay/convert/json-splice.ts';

/**
 * Fields that direct relays and SDKs to an address. An upstream that is a relay could send the operator's call to
 * the caller's address, or take the caller's headers for the operator's.
 */
export const routingFields = ['api_base', 'base_url', 'api_key', 'extra_headers', 'extra_body'] as const;

/** Routing fields removed from a body. */
export interface DroppedFields {
  names: readonly string[];
  /** For channels that pass them on; undefined: a form. */
  originalBody: Buffer | undefined;
}

/** Routing fields at the top level; undefined: none. */
export function routingFieldsIn(json: unknown): string[] | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  let found: string[] | undefined;
  for (const name of routingFields) if (Object.hasOwn(json, name)) (found ??= []).push(name);
  return found;
}

/** Routing fields of a form; undefined: none. */
export function routingPartsIn(parts: readonly { name: string }[]): string[] | undefined {
  const found = routingFields.filter((name) => parts.some((part) => part.name === name));
  return found.length > 0 ? found : undefined;
}

/** Removes fields from a body and from its parsed JSON. */
export function dropFields(body: Buffer, json: unknown, names: readonly string[]): Buffer {
  if (isObject(json)) for (const name of names) delete json[name];
  return withoutMembers(body, names);
}

/** Names the fields of the body that the upstream does not receive in a response header; none removes the header. */
export function setDroppedHeader(response: ServerResponse, names: readonly string[]): void {
  if (response.headersSent) return;
  if (names.length > 0) response.setHeader(HEADER, names.filter(isHeaderSafe).slice(0, MAX_NAMES).join(', '));
  else if (response.hasHeader(HEADER)) response.removeHeader(HEADER);
}

const MAX_NAMES = 50;
const isHeaderSafe = (name: string): boolean => /^[\w.-]{1,100}$/.test(name);

const HEADER = 'x-relay-dropped';
