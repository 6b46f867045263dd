import { isObject, listOr, objectOf, objectOr, type Json } from '#json.ts';
import type { ObjectOwner } from '#affinity/upstream-objects.ts';
import type { DialectId } from '#chat/codec.ts';
import { isItemReference } from '#chat/responses/read-responses-items.ts';
import { badRequest } from '#relay/reply/relay-error.ts';

/** The channel and key whose provider keeps what a call refers to. */
export interface StatePlace {
  channelId: number;
  keyId: number;
}

/** State of a conversation, for a call in a dialect that has any. */
export interface CallState {
  readonly kind: 'response' | 'thread' | 'objects';
  readonly owner: ObjectOwner;
  /** The caller wants to refer to the reply later. */
  readonly keeps: boolean;
  /** Undefined: nothing is kept by a provider. */
  place: StatePlace | undefined;
  /** Tokens of the conversation that the provider keeps. */
  tokens: number;
  /** The response that is continued; empty: none. */
  readonly previousId: string;
  /** The conversation that it belongs to; empty: none. */
  readonly conversationId: string;
  /** The input of this call, as sent. */
  readonly input: Json[];
  /** Hours for which the reply is stored here if its provider keeps none; 0: it is not. */
  readonly storeHours: number;
  /** Items of stored responses are part of the body. */
  isExpanded: boolean;
  /** The reply in the caller's dialect, once it is known. */
  reply: Json | undefined;
}

/** References in a request. */
export interface StateReferences {
  kind: CallState['kind'];
  keeps: boolean;
  previousId: string;
  conversationId: string;
  itemIds: string[];
  fileIds: string[];
}

/** One query finds them all. */
const MAX_REFERENCES = 10_000;

const tooMany = (param: string) => badRequest(`A request can refer to at most ${MAX_REFERENCES} objects.`, param);

/** References of a request, and whether its reply is to be kept; undefined: neither. Throws a 400 for an invalid reference. */
export function referencesIn(dialect: DialectId, json: unknown, fileIds: string[]): StateReferences | undefined {
  if (!isObject(json)) return undefined;
  if (fileIds.length > MAX_REFERENCES) throw tooMany('file_id');
  if (dialect === 'responses') return responseReferences(json, fileIds);
  if (dialect !== 'anthropic' || json['thread'] == null)
    return fileIds.length > 0 || (dialect === 'anthropic' && usesHostedTool(json))
      ? { kind: 'objects', keeps: false, previousId: '', conversationId: '', itemIds: [], fileIds }
      : undefined;
  const thread = objectOf(json['thread']);
  if (!thread) throw badRequest("'thread' is not valid: it must be an object.", 'thread');
  const isNew = thread['type'] === 'create';
  if (!isNew && thread['type'] !== 'continue')
    throw badRequest("'thread.type' is not valid: it must be one of create, continue.", 'thread.type');
  const previousId = isNew ? '' : idIn(thread['previous_message_id'], 'thread.previous_message_id');
  return { kind: 'thread', keeps: true, previousId, conversationId: '', itemIds: [], fileIds };
}

function responseReferences(json: Json, fileIds: string[]): StateReferences | undefined {
  const { previous_response_id: previous, conversation, store } = json;
  const previousId = previous == null ? '' : idIn(previous, 'previous_response_id');
  const conversationId =
    conversation == null ? '' : idIn(objectOf(conversation)?.['id'] ?? conversation, 'conversation');
  if (previousId !== '' && conversationId !== '')
    throw badRequest("'previous_response_id' and 'conversation' exclude each other.", 'conversation');
  const itemIds = [
    ...new Set(
      listOr(json['input']).flatMap((item, index) => (isReference(item) ? idIn(item['id'], `input.${index}.id`) : [])),
    ),
  ];
  if (itemIds.length > MAX_REFERENCES) throw tooMany('input');
  const keeps = store !== false;
  const refers = previousId !== '' || conversationId !== '' || itemIds.length > 0 || fileIds.length > 0;
  if (!keeps && !refers && !usesHostedTool(json)) return undefined;
  return { kind: 'response', keeps, previousId, conversationId, itemIds, fileIds };
}

/** Whether a tool runs at the provider, where it can make containers and files. */
const usesHostedTool = (json: Json): boolean =>
  json['container'] != null ||
  listOr(json['tools']).some((tool) => {
    const { type = 'custom' } = objectOr(tool);
    return type !== 'function' && type !== 'custom';
  });

export const isReference = (item: unknown): item is Json => isObject(item) && isItemReference(item);

function idIn(value: unknown, field: string): string {
  if (typeof value === 'string' && /^[\w.:-]{1,256}$/.test(value)) return value;
  throw badRequest(`'${field}' is not valid: it must be an id.`, field);
}

/** The items of an input, which may be a text. */
export const inputItems = (input: unknown): Json[] =>
  typeof input === 'string'
    ? [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }]
    : listOr(input).filter(isObject);

const ownIds = /^(?:resp|msg|rs|fc|ctc|ig)_(\d{23}[A-Za-z0-9]{8})\d*$/;

/** The id of the response that an id of this server belongs to; undefined: another server made it. */
export function ownResponseId(id: string): string | undefined {
  const requestId = ownIds.exec(id)?.[1];
  return requestId === undefined ? undefined : `resp_${requestId}`;
}
