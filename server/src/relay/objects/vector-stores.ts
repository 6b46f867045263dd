/**
 * Vector stores of ordinary users. The days of a store are ordered and charged with its files: at the price named
 * `vector_store`, by kilobyte and day. At the end of its days it is deleted at its provider.
 */
import { noUsage, type Usage } from '@relay-hub/contract';
import { type Json, textOr } from '#json.ts';
import type { AdmittedCaller } from '#relay/call/charged-call.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import { badRequest } from '#relay/reply/relay-error.ts';
import type { OrderTerms, PricedOrder } from './object-order.ts';
import {
  checkTogether,
  filesNamedIn,
  findOwn,
  lifetimeIn,
  placeOfNew,
  placeOfOwn,
  rememberOwn,
} from './own-objects.ts';
import { isOpenAi } from './keepers.ts';

export const VECTOR_STORES_PATH = '/v1/vector_stores';
export const storagePrice = { name: 'vector_store', type: 'tokens' } as const;
const searchPrice = { name: 'vector_store_search', type: 'times' } as const;

const kind = 'vector_store';
const terms = { kind, plural: 'vector stores', most: 100, keeps: isOpenAi } as const;
const USUAL_DAYS = 7;
const MOST_DAYS = 365;
const DAY_S = 86_400;

/** The order of a new store: its days for the files that it begins with. */
export const newStore = (context: HttpContext): OrderTerms => ({
  prefix: VECTOR_STORES_PATH,
  price: storagePrice,
  async order(admitted, json, bytes): Promise<PricedOrder> {
    const { deps } = context;
    const { userId, tokenId } = admitted.caller;
    const days = lifetimeIn(json['expires_after'], { unit: 'days', usual: USUAL_DAYS, most: MOST_DAYS });
    const files = await filesNamedIn(deps, userId, json, bytes);
    const place = await placeOfNew(deps, admitted, files.place, terms);
    const usage = storageOf(files.bytes, days * DAY_S);
    return {
      place,
      // Where the deletion at the end fails, the provider deletes the store when it is no longer used.
      body: { ...json, expires_after: { anchor: 'last_active_at', days } },
      usage,
      content: `Vector store for ${days} days: ${usage.input} kB-days`,
      async learn(reply) {
        const id = textOr(reply['id'], '');
        if (id === '') return reply;
        const until = deps.now() + days * DAY_S;
        await rememberOwn(deps, { userId, tokenId }, { kind, id, place, shown: reply, until });
        return { ...reply, expires_at: until };
      },
    };
  },
});

/** The order of files for a store, for its remaining days. */
export const moreFiles = (context: HttpContext, id: string): OrderTerms => ({
  prefix: VECTOR_STORES_PATH,
  price: storagePrice,
  async order({ caller: { userId } }, json, bytes): Promise<PricedOrder> {
    const { deps } = context;
    const store = await findOwn(deps, userId, { kind, id });
    const files = await filesNamedIn(deps, userId, json, bytes);
    if (!files.place) throw badRequest("'file_id' or 'file_ids' is required.", 'file_id');
    checkTogether(files.place, store);
    const usage = storageOf(files.bytes, store.expiresAt - deps.now());
    return { place: files.place, body: json, usage, content: `Files of a vector store: ${usage.input} kB-days` };
  },
});

/** The order of a search, at the price named `vector_store_search` for each. */
export const searchIn = (context: HttpContext, id: string): OrderTerms => ({
  prefix: VECTOR_STORES_PATH,
  price: searchPrice,
  order: async ({ caller }: AdmittedCaller, json: Json): Promise<PricedOrder> => ({
    place: await placeOfOwn(context.deps, caller.userId, { kind, id }),
    body: json,
    usage: { ...noUsage, units: 1 },
    content: 'Search in a vector store',
  }),
});

/** Throws a 400 for a change of a store that would have to be charged. */
export function checkChange(json: Json): void {
  if (json['expires_after'] != null)
    throw badRequest(
      "'expires_after' cannot be changed, because the days are charged when the vector store is created.",
      'expires_after',
    );
}

/** Kilobytes × days, rounded up. */
const storageOf = (bytes: number, seconds: number): Usage => ({
  ...noUsage,
  input: Math.ceil((bytes / 1000) * (Math.max(0, seconds) / DAY_S)),
});
