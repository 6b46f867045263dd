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
import type { Caller } from '#live/callers.ts';
import type { LiveChannel } from '#live/routing-table.ts';
import { estimateTokens } from '#quota/estimate.ts';
import type { AuthenticatedCaller, HttpContext } from '#relay/types/call-types.ts';
import type { PathRow } from '#relay/types/path-row.ts';
import { forUsers } from '#relay/pass-through/for-users.ts';
import { type ObjectTerms, passThrough } from '#relay/pass-through/pass-through.ts';
import { readJsonObject } from '#relay/admission/read-json-object.ts';
import { badRequest, RelayError } from '#relay/reply/relay-error.ts';
import { isReference, type StatePlace } from '#relay/types/call-state.ts';
import { fileIdsIn } from '#relay/state/file-ids.ts';
import { fileNotFound } from '#relay/state/object-refusals.ts';
import { placeForNew } from './new-place.ts';

const PREFIX = '/v1/conversations';

const MAX_CONVERSATIONS_PER_USER = 10_000;

const read = forUsers({ prefix: PREFIX }, (context, { caller }, [id = '']) => pass(context, caller, id));
const write = forUsers({ prefix: PREFIX }, (context, authenticated, [id = '']) => change(context, authenticated, id));
const remove = forUsers({ prefix: PREFIX }, (context, { caller }, [id = '']) =>
  pass(context, caller, id, () => forgetObject(context.deps.db, caller.userId, id)),
);

export const conversationRows: readonly PathRow[] = [
  { path: PREFIX, endpoint: PREFIX, answers: { POST: write } },
  { path: `${PREFIX}/{id}`, endpoint: PREFIX, answers: { GET: read, POST: write, DELETE: remove } },
  { path: `${PREFIX}/{id}/items`, endpoint: PREFIX, answers: { GET: read, POST: write } },
  { path: `${PREFIX}/{id}/items/{id}`, endpoint: PREFIX, answers: { GET: read, DELETE: read } },
];

/** Passes a request on to the provider that keeps the conversation. Rejects with a 404 for one of another user. */
const pass = (context: HttpContext, { userId }: Caller, id: string, learn?: ObjectTerms['learn']): Promise<void> =>
  passThrough(context, PREFIX, { locate: () => placeOf(context.deps, userId, id), ...(learn && { learn }) });

/** Creates a conversation, or changes one. */
async function change(context: HttpContext, { caller, group }: AuthenticatedCaller, id: string): Promise<void> {
  const { deps } = context;
  const { userId } = caller;
  const { body, json, claim } = await readJsonObject(context, userId);
  try {
    const named = await placeNamedIn(deps, userId, json, body);
    const tokens = json['items'] == null ? 0 : estimateTokens(body.toString('utf8'));
    if (id === '') return await create(context, { caller, group }, { body, tokens, named });
    const place = await placeOf(deps, userId, id);
    if (named) checkSame(named, place);
    const learn = () => addTokens(deps.db, userId, id, tokens);
    await passThrough(context, PREFIX, { body, locate: () => Promise.resolve(place), learn });
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
  const place = named ?? (await placeForNew(deps, { caller, group: group.symbol, kinds, keeps: keepsConversations }));
  if (!place)
    throw new RelayError(404, 'No channel of your group keeps conversations.', {
      type: 'invalid_request_error',
      code: 'conversations_not_available',
    });
  await passThrough(context, PREFIX, {
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
