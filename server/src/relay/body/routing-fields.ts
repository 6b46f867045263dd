import type { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import { metadataLabels, routingFields } from '@relay-hub/contract';
import { isObject, objectOr } from '#json.ts';
import { spliceMembers, withoutMembers } from './json-splice.ts';
import { badRequest } from '#relay/reply/relay-error.ts';

const isRouting = new Set(routingFields);

/** Routing fields removed from a body. */
export interface DroppedFields {
  names: readonly string[];
  /** For channels that pass them on; undefined: a form. */
  originalBody: Buffer | undefined;
}

/** Routing fields at the top level, and in `metadata` as `metadata.NAME`; undefined: none. */
export function routingFieldsIn(json: unknown): string[] | undefined {
  if (!isObject(json)) return undefined;
  let found: string[] | undefined;
  for (const name of Object.keys(json)) if (isRouting.has(name)) (found ??= []).push(name);
  const { metadata } = json;
  if (isObject(metadata))
    for (const name of Object.keys(metadata))
      if (isRouting.has(name) && !metadataLabels.has(name)) (found ??= []).push(METADATA + name);
  return found;
}

const METADATA = 'metadata.';

/** Routing fields of a form; undefined: none. */
export function routingPartsIn(parts: readonly { name: string }[]): string[] | undefined {
  const found = parts.map(({ name }) => name).filter((name) => isRouting.has(name));
  return found.length > 0 ? [...new Set(found)] : undefined;
}

/** Throws a 400 for a body with routing fields that cannot be removed. */
export function refuseRoutingFields(json: unknown): void {
  const [name] = routingFieldsIn(json) ?? [];
  if (name !== undefined) throw badRequest(`'${name}' cannot be used here.`, name);
}

/** Removes fields from a body and from its parsed JSON, those of `metadata` by their path. */
export function dropFields(body: Buffer, json: unknown, names: readonly string[]): Buffer {
  dropFrom(json, names);
  const rest = withoutMembers(body, names);
  if (!names.some((name) => name.startsWith(METADATA))) return rest;
  return spliceMembers(rest, { metadata: JSON.stringify(objectOr(json)['metadata']) });
}

/** Removes fields from parsed JSON. */
export function dropFrom(json: unknown, names: readonly string[]): void {
  if (!isObject(json)) return;
  for (const name of names)
    if (name.startsWith(METADATA)) delete objectOr(json['metadata'])[name.slice(METADATA.length)];
    else {
      // Google's wishes of clients of Chat Completions redirect nothing; conversions read them.
      const { google } = objectOr(name === 'extra_body' ? json[name] : undefined);
      if (isObject(google)) json['google'] ??= google;
      delete json[name];
    }
}

/** The fields of the body that the upstream of a request does not receive. */
export const droppedIn = (
  { dropped }: { dropped?: DroppedFields | undefined },
  { passesRoutingFields, unread = [] }: { passesRoutingFields?: true; unread?: readonly string[] | undefined },
): string[] => [...(passesRoutingFields ? [] : (dropped?.names ?? [])), ...unread];

/** Names the fields of the body that the upstream does not receive in a response header; none removes the header. */
export function setDroppedHeader(response: ServerResponse, names: readonly string[]): void {
  if (response.headersSent) return;
  if (names.length > 0) response.setHeader(DROPPED_HEADER, names.filter(isHeaderSafe).slice(0, MAX_NAMES).join(', '));
  else response.removeHeader(DROPPED_HEADER);
}

const MAX_NAMES = 50;
const isHeaderSafe = (name: string): boolean => /^[\w.[\]-]{1,100}$/.test(name);

/** Response header that names fields of the body which the upstream did not receive. */
export const DROPPED_HEADER = 'x-relay-dropped';
