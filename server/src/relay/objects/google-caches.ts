/**
 * Google's context caches for ordinary users. A cache is charged when it is created, by its tokens and the time that it
 * is kept for, at the price named `cache/` and the model: `input` per token, `output` per token and hour.
 */
import { objectOr, parseJson, textOr } from '#json.ts';
import { countObjects, findObjects, forgetObject, listObjects } from '#affinity/upstream-objects.ts';
import type { Deps } from '#deps.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import { chargedCall } from '#relay/call/charged-call.ts';
import { passThrough } from '#relay/pass-through/pass-through.ts';
import { checkRate, withRate } from '#relay/admission/call-rate.ts';
import { RelayError } from '#relay/reply/relay-error.ts';
import { sendJson } from '#relay/reply/send-json.ts';
import { queryOf } from '#relay/body/url-query.ts';
import type { StatePlace } from '#relay/types/call-state.ts';
import { CacheCreation } from './cache-creation.ts';
import { CacheExtension } from './cache-extension.ts';
import { fileNotFound } from '#relay/state/object-refusals.ts';
import { CACHES } from '#relay/state/google-names.ts';
import { GOOGLE_CACHES, googlePage, googlePath, type GoogleObject } from './google-path.ts';

const MAX_CACHES_PER_USER = 200;
const PAGE = { usual: 100, most: 1000 };

export async function createCache(context: HttpContext, { caller }: GoogleObject): Promise<void> {
  const { db, now } = context.deps;
  if ((await countObjects(db, caller.userId, 'cache', now())) >= MAX_CACHES_PER_USER)
    throw new RelayError(429, `You have ${MAX_CACHES_PER_USER} caches, the most that are kept. Delete some first.`, {
      type: 'rate_limit_error',
      code: 'too_many_caches',
    });
  await chargedCall(context, new CacheCreation(context));
}

export const extendCache = async (context: HttpContext, { caller, id }: GoogleObject): Promise<void> => {
  await placeOf(context.deps, caller.userId, CACHES + id);
  await chargedCall(context, new CacheExtension(context, CACHES + id));
};

export const readCache = (context: HttpContext, object: GoogleObject): Promise<void> =>
  ofCaller(context, object, false);

export const removeCache = (context: HttpContext, object: GoogleObject): Promise<void> =>
  ofCaller(context, object, true);

async function ofCaller(context: HttpContext, { caller, id }: GoogleObject, removes: boolean): Promise<void> {
  const { deps } = context;
  const name = CACHES + id;
  await passThrough(context, GOOGLE_CACHES, {
    locate: () => placeOf(deps, caller.userId, name),
    path: () => googlePath(context),
    dialect: 'gemini',
    ...(removes && { learn: () => forgetObject(deps.db, caller.userId, name) }),
  });
}

/** Where a user's cache is kept. Rejects with a 404 for a cache of another user. */
async function placeOf({ db, now }: Deps, userId: number, name: string): Promise<StatePlace> {
  const cache = (await findObjects(db, userId, ['cache'], { ids: [name], now: now() })).get(name);
  if (!cache) throw fileNotFound(name);
  return cache;
}

export async function listCaches(context: HttpContext, { caller }: GoogleObject): Promise<void> {
  const { deps, response, requestId } = context;
  const rate = await checkRate(deps, caller);
  try {
    const rows = await listObjects(deps.db, caller.userId, 'cache', deps.now());
    const { page, ...next } = googlePage(rows, queryOf(context), PAGE);
    const cachedContents = page.map(({ data, object_id }) => {
      const { shown } = objectOr(parseJson(data));
      return { ...objectOr(shown), name: textOr(object_id, '') };
    });
    sendJson(response, requestId, { cachedContents, ...next }, rate);
  } catch (error) {
    throw withRate(error, rate);
  }
}
