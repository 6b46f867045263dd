import type { Json } from '#json.ts';
import { deleteResponse, type StoredResponse } from '#affinity/response-store.ts';
import { findObjects, forgetObject } from '#affinity/upstream-objects.ts';
import type { AuthenticatedCaller, HttpContext } from '#relay/types/call-types.ts';
import type { PathAnswer, PathRow } from '#relay/types/path-row.ts';
import { passThrough } from '#relay/pass-through/pass-through.ts';
import { authenticate } from '#relay/admission/authenticate.ts';
import { checkRate, withRate } from '#relay/admission/call-rate.ts';
import { pageById } from './id-page.ts';
import { sendJson } from '#relay/reply/send-json.ts';
import { queryOf } from '#relay/body/url-query.ts';
import { badRequest, RelayError } from '#relay/reply/relay-error.ts';
import { inputItems, type StatePlace } from '#relay/types/call-state.ts';
import { currentResponse } from '#relay/model/detached.ts';
import { loadChain, loadResponses } from '#relay/state/load-stored.ts';

/** A request about one response. */
interface ResponseQuery {
  id: string;
  action: 'retrieve' | 'delete' | 'cancel' | 'input_items';
}

const to =
  (action: ResponseQuery['action']): PathAnswer =>
  (context, [id = '']) =>
    answerResponse(context, { id, action });

const PATH = '/v1/responses/{id}';
const endpoint = '/v1/responses/:id';

export const responseRows: readonly PathRow[] = [
  { path: PATH, endpoint, answers: { GET: to('retrieve'), DELETE: to('delete') } },
  { path: `${PATH}/cancel`, endpoint, answers: { POST: to('cancel') } },
  { path: `${PATH}/input_items`, endpoint, answers: { GET: to('input_items') } },
];

/** Answers for a response that is stored here, or passes the request on to the provider that keeps it. */
async function answerResponse(context: HttpContext, query: ResponseQuery): Promise<void> {
  const { deps, response, requestId } = context;
  const { caller } = await authenticate(context, 'responses');
  const { userId } = caller;
  const found = await loadResponses(deps, userId, [query.id]);
  const stored = found.get(query.id);
  if (!stored) return passOn(context, query);
  const rate = await checkRate(deps, caller);
  try {
    sendJson(response, requestId, await answerStored(context, query, stored, userId), rate);
  } catch (error) {
    throw withRate(error, rate);
  }
}

async function answerStored(
  context: HttpContext,
  { id, action }: ResponseQuery,
  stored: StoredResponse,
  userId: number,
): Promise<Json> {
  const { deps } = context;
  const query = queryOf(context);
  switch (action) {
    case 'retrieve':
      if (query.get('stream') === 'true')
        throw badRequest('A stored response is complete: it cannot be streamed again.', 'stream');
      return currentResponse(deps, stored, async () => (await loadResponses(deps, userId, [id])).get(id));
    case 'delete':
      await deleteResponse(deps.db, userId, id);
      return { id, object: 'response', deleted: true };
    case 'cancel':
      throw badRequest('A response that is made here cannot be cancelled.');
    case 'input_items': {
      const chain = (await loadChain(deps, userId, id)) ?? [stored];
      const before = chain.slice(0, -1).flatMap(({ input, response }) => [...input, ...inputItems(response['output'])]);
      return listOfItems(id, [...before, ...stored.input], query);
    }
  }
}

const MAX_ITEMS = 100;

/** One page of the items, newest first. Items without an id get one, by which the next page is found. */
function listOfItems(responseId: string, items: readonly Json[], query: URLSearchParams): Json {
  const named = items.map((item, index) => ({
    ...item,
    id: item['id'] ?? `msg_${responseId.slice('resp_'.length)}in${index}`,
  }));
  return { object: 'list', ...pageById(named.toReversed(), query, { usual: 20, most: MAX_ITEMS }) };
}

/** 404 for a response that this user does not have. */
async function passOn(context: HttpContext, { id, action }: ResponseQuery): Promise<void> {
  const { deps } = context;
  let owner = 0;
  const locate = async ({ caller }: AuthenticatedCaller): Promise<StatePlace> => {
    owner = caller.userId;
    const object = (await findObjects(deps.db, owner, ['response'], { ids: [id], now: deps.now() })).get(id);
    if (!object)
      throw new RelayError(404, `Response with id '${id}' not found.`, {
        type: 'invalid_request_error',
        code: 'response_not_found',
      });
    return object;
  };
  await passThrough(context, '/v1/responses', {
    locate,
    ...(action === 'delete' && { learn: () => forgetObject(deps.db, owner, id) }),
  });
}
