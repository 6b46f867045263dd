/**
 * The state step: references of a call to objects at its provider, and the stored parts of its reply.
 * Before it: model reads the body. After it: select.
 */
import type { Json } from '#json.ts';
import type { StoredResponse } from '#affinity/response-store.ts';
import { findObjects, type ObjectOwner, type UpstreamObject } from '#affinity/upstream-objects.ts';
import type { Deps } from '#deps.ts';
import type { Caller } from '#live/callers.ts';
import { fileNotFound, stateUnavailable } from './object-refusals.ts';
import { NAMED_KINDS } from './named-objects.ts';
import { badRequest, RelayError } from '#relay/reply/relay-error.ts';
import {
  type CallState,
  inputItems,
  isReference,
  ownResponseId,
  type StatePlace,
  type StateReferences,
} from '#relay/types/call-state.ts';
import { loadChain, loadResponses } from './load-stored.ts';

/** A request whose references to stored responses are replaced by their items. */
export interface ResolvedRequest {
  state: CallState;
  /** Undefined: unchanged. */
  json: Json | undefined;
}

/** An owner with the switch of their token; null: the site's setting decides. */
type StoringOwner = ObjectOwner & Pick<Caller, 'responseStoreHours'>;

const storeHoursOf = ({ live }: Deps, { responseStoreHours }: StoringOwner): number =>
  responseStoreHours ?? live.settings.ResponseStoreHours;

/**
 * Finds what a request refers to: at a provider, which then has to serve it, or among the responses stored here. Rejects
 * with a `RelayError` for what does not exist for this user.
 */
export async function resolveState(
  deps: Deps,
  references: StateReferences,
  json: Json,
  owner: StoringOwner,
): Promise<ResolvedRequest> {
  const { kind, keeps, previousId, conversationId, itemIds, fileIds } = references;
  const storeHours = keeps && kind === 'response' ? storeHoursOf(deps, owner) : 0;
  const state: CallState = {
    kind,
    owner,
    keeps,
    storeHours,
    place: undefined,
    tokens: 0,
    previousId,
    conversationId,
    input: storeHours > 0 ? inputItems(json['input']) : [],
    isExpanded: false,
    reply: undefined,
  };
  const ids = [previousId, conversationId, ...itemIds].filter((id) => id !== '');
  if (fileIds.length > 0) await locateFiles(deps, state, fileIds);
  if (ids.length === 0) return { state, json: undefined };
  if (kind === 'thread') return { state: await continueThread(deps, state), json: undefined };
  const kept = await findObjects(deps.db, owner.userId, ['response', 'item', 'conversation'], { ids, now: deps.now() });
  for (const object of kept.values()) keepAt(deps, state, object);
  const before = await conversationBefore(deps, references, kept, owner);
  const items = await referredItems(deps, references, kept, owner);
  if (!before && items.size === 0) return { state, json: undefined };
  state.isExpanded = true;
  const input = inputItems(json['input']).map((item) =>
    isReference(item) ? (items.get(String(item['id'])) ?? item) : item,
  );
  const { previous_response_id: _, ...rest } = json;
  return { state, json: { ...(before ? rest : json), input: [...(before ?? []), ...input] } };
}

async function locateFiles(deps: Deps, state: CallState, ids: readonly string[]): Promise<void> {
  const files = await findObjects(deps.db, state.owner.userId, NAMED_KINDS, { ids, now: deps.now() });
  for (const id of ids) {
    const file = files.get(id);
    if (!file) throw fileNotFound(id);
    keepAt(deps, state, file);
  }
}

/** The call has to go where the object is kept. */
function keepAt({ live }: Deps, state: CallState, { id, channelId, keyId, tokens, kind }: UpstreamObject): void {
  const channel = live.routes.channel(channelId);
  if (!channel?.keys.some((key) => key.id === keyId))
    throw stateUnavailable(`The channel that keeps '${id}' is no longer available. Send the whole conversation.`);
  const { place } = state;
  if (place && (place.channelId !== channelId || place.keyId !== keyId))
    throw badRequest(
      'The request refers to items that different providers keep. Send the whole conversation.',
      'input',
    );
  state.place = { channelId, keyId } satisfies StatePlace;
  // A response contains its items.
  state.tokens = kind === 'item' ? state.tokens : Math.max(state.tokens, tokens);
}

/** Items of the stored responses that are continued; undefined: none, or their provider keeps them. */
async function conversationBefore(
  deps: Deps,
  { previousId, conversationId }: StateReferences,
  kept: ReadonlyMap<string, UpstreamObject>,
  owner: StoringOwner,
): Promise<Json[] | undefined> {
  if (conversationId !== '' && !kept.has(conversationId))
    throw notFound(`Conversation with id '${conversationId}' not found.`, 'conversation', 'conversation_not_found');
  if (previousId === '' || kept.has(previousId)) return undefined;
  const { userId } = owner;
  const chain = await loadChain(deps, userId, previousId);
  if (!chain) throw previousNotFound(deps, owner, previousId);
  const items: Json[] = [];
  for (const { input, response } of chain) {
    const known = new Map(items.map((item) => [item['id'], item]));
    items.push(
      ...input.map((item) => (isReference(item) ? (known.get(item['id']) ?? item) : item)),
      ...outputOf(response),
    );
  }
  const missing = items.filter(isReference).map((item) => String(item['id']));
  const found = await itemsById(deps, userId, missing);
  return items.map((item) => (isReference(item) ? (found.get(String(item['id'])) ?? item) : item)).map(withoutId);
}

/** The referred items that are stored here, by id. Throws if one is kept nowhere. */
async function referredItems(
  deps: Deps,
  { itemIds }: StateReferences,
  kept: ReadonlyMap<string, UpstreamObject>,
  owner: StoringOwner,
): Promise<Map<string, Json>> {
  const wanted = itemIds.filter((id) => !kept.has(id));
  const found = await itemsById(deps, owner.userId, wanted);
  const missing = wanted.find((id) => !found.has(id));
  if (missing === undefined) return new Map([...found].map(([id, item]) => [id, withoutId(item)]));
  if (ownResponseId(missing) !== undefined && storeHoursOf(deps, owner) === 0)
    throw notKept(`Item with id '${missing}' is not kept here.`, 'input');
  throw notFound(`Item with id '${missing}' not found.`, 'input', 'item_not_found');
}

async function itemsById(deps: Deps, userId: number, ids: readonly string[]): Promise<Map<string, Json>> {
  const owners = new Set(ids.flatMap((id) => ownResponseId(id) ?? []));
  const found = await loadResponses(deps, userId, [...owners]);
  const wanted = new Set(ids);
  const items = new Map<string, Json>();
  for (const stored of found.values())
    for (const item of allItems(stored)) {
      const { id } = item;
      if (typeof id === 'string' && wanted.has(id)) items.set(id, item);
    }
  return items;
}

/** A stored input may itself refer to items of earlier responses. */
const allItems = ({ input, response }: StoredResponse): Json[] => [
  ...input.filter((item) => !isReference(item)),
  ...outputOf(response),
];

const outputOf = (response: Json): Json[] => inputItems(response['output']);

/** Providers know no ids of this server. A signature of reasoning is bound to its id. */
function withoutId(item: Json): Json {
  const { id: _, status: __, ...rest } = item;
  return item['type'] === 'reasoning' || isReference(item) ? item : rest;
}

/** A conversation with a stored history that its provider keeps as a thread. */
async function continueThread(deps: Deps, state: CallState): Promise<CallState> {
  const { previousId, owner } = state;
  const kept = await findObjects(deps.db, owner.userId, ['message'], { ids: [previousId], now: deps.now() });
  const object = kept.get(previousId);
  if (!object || !deps.live.routes.channel(object.channelId)?.keys.some(({ id }) => id === object.keyId))
    throw threadNotFound();
  keepAt(deps, state, object);
  return state;
}

/** Anthropic's SDKs answer this error with a new thread that holds the whole conversation. */
export const threadNotFound = (): RelayError =>
  new RelayError(404, "The thread of 'thread.previous_message_id' is not kept here. Send the whole conversation.", {
    type: 'invalid_request_error',
    code: 'thread_not_found',
    param: 'thread.previous_message_id',
    details: { error_code: 'thread_not_found' },
  });

function previousNotFound(deps: Deps, owner: StoringOwner, id: string): RelayError {
  if (ownResponseId(id) !== undefined && storeHoursOf(deps, owner) === 0)
    return notKept(`Response with id '${id}' is not kept here.`, 'previous_response_id');
  return new RelayError(400, `Previous response with id '${id}' not found.`, {
    type: 'invalid_request_error',
    code: 'previous_response_not_found',
    param: 'previous_response_id',
  });
}

const notKept = (message: string, param: string): RelayError =>
  badRequest(
    `${message} Set 'store' to false and send the whole conversation, or ask the operator to keep responses.`,
    param,
  );

const notFound = (message: string, param: string, code: string): RelayError =>
  new RelayError(404, message, { type: 'invalid_request_error', code, param });
