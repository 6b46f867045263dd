import type { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import { isObject } from '#json.ts';
import { withoutMembers } from '#relay/convert/json-splice.ts';

/**
 * Fields that direct relays and SDKs to an address. An upstream that is a relay could send the operator's call to
 * the caller's address, or take the caller's headers for the operator's.
 */
const routingFields = ['api_base', 'base_url', 'api_key', 'extra_headers', 'extra_body'] as const;

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

/** Names the dropped fields in a response header, or removes it if the channel passes them on. */
export function setDroppedHeader(response: ServerResponse, dropped: DroppedFields | undefined, passes: boolean): void {
  if (!dropped || response.headersSent) return;
  if (passes) response.removeHeader(HEADER);
  else response.setHeader(HEADER, dropped.names.join(', '));
}

const HEADER = 'x-relay-dropped';
