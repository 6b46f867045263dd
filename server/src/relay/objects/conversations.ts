/** Conversations that providers keep for ordinary users: each belongs to the user who created it. */
import { type Json, listOr, textOr } from '#json.ts';
import {
  addTokens,
  countObjects,
  findObjects,
  forgetObject,
  rememberObjects,
  UNTIL_DELETED_S,
  type UpstreamObject,
} from '#affinity/upstream-objects.ts';
import type { Deps } from '#deps.ts';
import type { LiveChannel } from '#live/routing-table.ts';
import { estimateTokens } from '#quota/estimate.ts';
import type { AuthenticatedCaller, HttpContext } from '#relay/types/call-types.ts';
import { passThrough } from '#relay/pass-through/pass-through.ts';
import { authenticate } from '#relay/admission/authenticate.ts';
import { type BodyIntake, parseObject, readBody } from '#relay/body/read-body.ts';
import { badRequest, RelayError } from '#relay/reply/relay-error.ts';
import { isReference, type StatePlace } from '#relay/types/call-state.ts';
import { fileIdsIn } from '#relay/state/file-ids.ts';
import { fileNotFound } from '#relay/state/object-refusals.ts';
import { placeForNew } from './new-place.ts';

export const CONVERSATIONS_PATH = '/v1/conversations';

const MAX_CONVERSATIONS_PER_USER = 10_000;

interface ConversationQuery {
  /** Empty: a new one. */
  id: string;
  /** An item, or the items. */
  rest: string;
}

const path = /^\/v1\/conversations(?:\/([\w.-]{1,256})(\/items(?:\/[\w.-]{1,256})?)?)?$/;

/** The query of a path below `/v1/conversations`; undefined: not served. */
export function conversationQueryOf(method: string, requested: string): ConversationQuery | undefined {
  return conversationMethods(requested)?.split(', ').includes(method) ? queryIn(requested) : undefined;
}

/** Methods of such a path; undefined: unknown path. */
export function conversationMethods(requested: string): string | undefined {
  const query = queryIn(requested);
  if (!query) return undefined;
  if (query.id === '') return 'POST, OPTIONS';
  if (query.rest === '') return 'GET, HEAD, POST, DELETE, OPTIONS';
  return query.rest === '/items' ? 'GET, HEAD, POST, OPTIONS' : 'GET, HEAD, DELETE, OPTIONS';
}

function queryIn(requested: string): ConversationQuery | undefined {
  const found = path.exec(requested);
  return found ? { id: found[1] ?? '', rest: found[2] ?? '' } : undefined;
}

/** Passes a request on to the provider that keeps the conversation. Rejects with a `RelayError`, 404 for one of another user. */
export async function answerConversation(context: HttpContext, { id, rest }: ConversationQuery): Promise<void> {
  const { deps, request } = context;
  const { caller, group, rawPin } = await authenticate(context);
  if (rawPin !== undefined) return passThrough(context, CONVERSATIONS_PATH);
  const { userId } = caller;
  if (request.method !== 'POST') {
    const deletes = request.method === 'DELETE' && rest === '';
    return passThrough(context, CONVERSATIONS_PATH, {
      locate: () => placeOf(deps, userId, id),
      ...(deletes && { learn: () => forgetObject(deps.db, userId, id) }),
    });
  }
  const claim = deps.bodies.claim(userId);
  try {
    const intake: BodyIntake = { claim, whenLarge: () => undefined };
    const body = await readBody(request, intake);
    const json = parseObject(body);
    const named = await placeNamedIn(deps, userId, json, body);
    const tokens = json['items'] == null ? 0 : estimateTokens(body.toString('utf8'));
    if (id === '') return await create(context, { caller, group }, { body, tokens, named });
    const place = await placeOf(deps, userId, id);
    if (named) checkSame(named, place);
    await passThrough(context, CONVERSATIONS_PATH, { body, locate: () => Promise.resolve(place) });
    if (context.response.statusCode < 300) await addTokens(deps.db, userId, id, tokens);
  } finally {
    claim.release();
  }
}

interface NewConversation {
  body: Buffer;
  /** Of its items. */
  tokens: number;
  /** Where the files and items are kept that it refers to. */
  named: StatePlace | undefined;
}

async function create(
  context: HttpContext,
  { caller, group }: Pick<AuthenticatedCaller, 'caller' | 'group'>,
  { body, tokens, named }: NewConversation,
): Promise<void> {
  const { deps } = context;
  const { userId, tokenId } = caller;
  if ((await countObjects(deps.db, userId, 'conversation', deps.now())) >= MAX_CONVERSATIONS_PER_USER)
    throw badRequest(
      `You have ${MAX_CONVERSATIONS_PER_USER} conversations, the most that are kept. Delete some first.`,
    );
  const kinds = ['conversation', 'file'] as const;
  const place = named ?? (await placeForNew(deps, { userId, group: group.symbol, kinds, keeps: keepsConversations }));
  if (!place)
    throw new RelayError(404, 'No channel of your group keeps conversations.', {
      type: 'invalid_request_error',
      code: 'conversations_not_available',
    });
  await passThrough(context, CONVERSATIONS_PATH, {
    body,
    locate: () => Promise.resolve(place),
    async learn(reply) {
      const id = textOr(reply['id'], '');
      if (id === '') return;
      const now = deps.now();
      const object: UpstreamObject = { kind: 'conversation', id, ...place, parentId: '', tokens };
      await rememberObjects(deps.db, { userId, tokenId }, [object], { now, until: now + UNTIL_DELETED_S });
    },
  });
}

const keepsConversations = ({ provider }: LiveChannel): boolean =>
  provider.raw !== undefined && !provider.sign && provider.id === 'openai';

async function placeOf({ db, now }: Deps, userId: number, id: string): Promise<StatePlace> {
  const found = (await findObjects(db, userId, ['conversation'], { ids: [id], now: now() })).get(id);
  if (found) return found;
  throw new RelayError(404, `Conversation with id '${id}' not found.`, {
    type: 'invalid_request_error',
    code: 'conversation_not_found',
  });
}

/** Where the files and items are kept that a request names. Rejects with a 404 for those of another user. */
async function placeNamedIn(deps: Deps, userId: number, json: Json, body: Buffer): Promise<StatePlace | undefined> {
  const fileIds = fileIdsIn(json, body);
  const itemIds = listOr(json['items'])
    .filter(isReference)
    .map(({ id }) => textOr(id, ''));
  if (fileIds.length + itemIds.length === 0) return undefined;
  const ids = [...fileIds, ...itemIds];
  const found = await findObjects(deps.db, userId, ['file', 'item'], { ids, now: deps.now() });
  let place: StatePlace | undefined;
  for (const id of ids) {
    const object = found.get(id);
    if (!object) throw fileIds.includes(id) ? fileNotFound(id) : itemNotFound(id);
    if (place) checkSame(object, place);
    place = object;
  }
  return place;
}

function checkSame(a: StatePlace, b: StatePlace): void {
  if (a.channelId !== b.channelId || a.keyId !== b.keyId)
    throw badRequest('The request refers to objects that different providers keep.', 'items');
}

const itemNotFound = (id: string): RelayError =>
  new RelayError(404, `Item with id '${id}' not found.`, { type: 'invalid_request_error', code: 'item_not_found' });
