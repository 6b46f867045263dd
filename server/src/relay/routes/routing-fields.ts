import type { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import type { Json } from '#chat/chat.ts';
import { withoutMembers } from '#relay/convert/json-splice.ts';

/**
 * Fields by which relays and SDKs are told where to send a call, and with what: an upstream that is a relay itself would
 * send the operator's call to the caller's address, or read the caller's headers as the operator's.
 */
const routingFields = ['api_base', 'base_url', 'api_key', 'extra_headers', 'extra_body'] as const;

/** What was taken out of a call's body. */
export interface DroppedFields {
  names: readonly string[];
  /** The body as it came, for channels that pass it on; undefined: a form, which has its own way. */
  originalBody: Buffer | undefined;
}

/** The names of those at the top level of a body; undefined: there are none. */
export function routingFieldsIn(json: unknown): string[] | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  let found: string[] | undefined;
  for (const name of routingFields) if (Object.hasOwn(json, name)) (found ??= []).push(name);
  return found;
}

/** The same in the fields of a form. */
export function routingPartsIn(parts: readonly { name: string }[]): string[] | undefined {
  const found = routingFields.filter((name) => parts.some((part) => part.name === name));
  return found.length > 0 ? found : undefined;
}

/** Takes them out of a body and of its JSON. */
export function dropFields(body: Buffer, json: unknown, names: readonly string[]): Buffer {
  for (const name of names) delete (json as Json)[name];
  return withoutMembers(body, names);
}

/** Tells the caller which fields the upstream does not get. */
export function setDroppedHeader(response: ServerResponse, dropped: DroppedFields | undefined, passes: boolean): void {
  if (!dropped || response.headersSent) return;
  if (passes) response.removeHeader(HEADER);
  else response.setHeader(HEADER, dropped.names.join(', '));
}

const HEADER = 'x-relay-dropped';
