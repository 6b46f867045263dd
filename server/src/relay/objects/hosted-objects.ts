/** Paths of vector stores and containers, which providers keep for ordinary users at the operator's price. */
import { Buffer } from 'node:buffer';
import { findObjects } from '#affinity/upstream-objects.ts';
import { chargedCall } from '#relay/call/charged-call.ts';
import type { AuthenticatedCaller, HttpContext } from '#relay/types/call-types.ts';
import { readForm } from '#relay/forms/read-form.ts';
import { formFor } from '#relay/forms/form.ts';
import { passThrough } from '#relay/pass-through/pass-through.ts';
import { authenticate } from '#relay/admission/authenticate.ts';
import { parseObject, readBody } from '#relay/body/read-body.ts';
import { CONTAINERS_PATH, containerPrice, newContainer } from './containers.ts';
import { ObjectOrder, type OrderTerms, pathPrice } from './object-order.ts';
import { answerOwnList, checkTogether, filesNamedIn, type OwnedObject, placeOfOwn } from './own-objects.ts';
import { passOwn } from './pass-own.ts';
import { checkChange, moreFiles, newStore, searchIn, storagePrice, VECTOR_STORES_PATH } from './vector-stores.ts';

type Answer = (context: HttpContext, authenticated: AuthenticatedCaller, id: string) => Promise<void>;

interface HostedRoute {
  path: RegExp;
  answers: Partial<Record<'GET' | 'POST' | 'DELETE', Answer>>;
}

interface HostedKind {
  prefix: string;
  price: OrderTerms['price'];
  routes: readonly HostedRoute[];
}

const ordered =
  (terms: (context: HttpContext, id: string) => OrderTerms): Answer =>
  (context, _, id) =>
    chargedCall(context, new ObjectOrder(context, terms(context, id)));

/** Passes a request about the caller's object on. */
const passed =
  (kind: OwnedObject['kind'], prefix: string, options?: { removes?: boolean; shows?: boolean }): Answer =>
  (context, { caller }, id) =>
    passOwn(context, prefix, caller, { kind, id }, options);

/** Passes a JSON body on after a check. */
const checked =
  (kind: OwnedObject['kind'], prefix: string, check: typeof checkChange): Answer =>
  async (context, { caller }, id) => {
    const { deps, request } = context;
    const claim = deps.bodies.claim(caller.userId);
    try {
      const body = await readBody(request, { claim, whenLarge: () => undefined });
      check(parseObject(body));
      await passOwn(context, prefix, caller, { kind, id }, { body });
    } finally {
      claim.release();
    }
  };

const store = (options?: { removes?: boolean; shows?: boolean }): Answer =>
  passed('vector_store', VECTOR_STORES_PATH, options);
const container = (options?: { removes?: boolean; shows?: boolean }): Answer =>
  passed('container', CONTAINERS_PATH, options);

const ID = '([\\w.-]{1,256})';
const at = (pattern: string): RegExp => new RegExp(`^${pattern}$`);

const kinds: readonly HostedKind[] = [
  {
    prefix: VECTOR_STORES_PATH,
    price: storagePrice,
    routes: [
      {
        path: at(VECTOR_STORES_PATH),
        answers: {
          POST: ordered(newStore),
          GET: (context, caller) => answerOwnList(context, caller, { kind: 'vector_store', ends: true }),
        },
      },
      {
        path: at(`${VECTOR_STORES_PATH}/${ID}`),
        answers: {
          GET: store({ shows: true }),
          POST: checked('vector_store', VECTOR_STORES_PATH, checkChange),
          DELETE: store({ removes: true }),
        },
      },
      { path: at(`${VECTOR_STORES_PATH}/${ID}/search`), answers: { POST: ordered(searchIn) } },
      { path: at(`${VECTOR_STORES_PATH}/${ID}/files`), answers: { GET: store(), POST: ordered(moreFiles) } },
      {
        path: at(`${VECTOR_STORES_PATH}/${ID}/files/[\\w.-]{1,256}`),
        answers: { GET: store(), POST: checked('vector_store', VECTOR_STORES_PATH, checkChange), DELETE: store() },
      },
      { path: at(`${VECTOR_STORES_PATH}/${ID}/files/[\\w.-]{1,256}/content`), answers: { GET: store() } },
      { path: at(`${VECTOR_STORES_PATH}/${ID}/file_batches`), answers: { POST: ordered(moreFiles) } },
      {
        path: at(`${VECTOR_STORES_PATH}/${ID}/file_batches/[\\w.-]{1,256}(?:/files)?`),
        answers: { GET: store() },
      },
      { path: at(`${VECTOR_STORES_PATH}/${ID}/file_batches/[\\w.-]{1,256}/cancel`), answers: { POST: store() } },
    ],
  },
  {
    prefix: CONTAINERS_PATH,
    price: containerPrice,
    routes: [
      {
        path: at(CONTAINERS_PATH),
        answers: {
          POST: ordered(newContainer),
          GET: (context, caller) => answerOwnList(context, caller, { kind: 'container', ends: true }),
        },
      },
      {
        path: at(`${CONTAINERS_PATH}/${ID}`),
        answers: { GET: container({ shows: true }), DELETE: container({ removes: true }) },
      },
      { path: at(`${CONTAINERS_PATH}/${ID}/files`), answers: { GET: container(), POST: copyFile } },
      {
        path: at(`${CONTAINERS_PATH}/${ID}/files/[\\w.-]{1,256}`),
        answers: { GET: container(), DELETE: container() },
      },
      { path: at(`${CONTAINERS_PATH}/${ID}/files/[\\w.-]{1,256}/content`), answers: { GET: container() } },
    ],
  },
];

function routeOf(path: string): { kind: HostedKind; route: HostedRoute } | undefined {
  const kind = kinds.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
  const route = kind?.routes.find((one) => one.path.test(path));
  return kind && route && { kind, route };
}

/**
 * Answers a request for vector stores or containers. False: another path or method, a price that the operator did not
 * set, or an administrator's key that names a channel, whose whole account it reaches. Rejects with a `RelayError`.
 */
export async function answerHosted(context: HttpContext, path: string): Promise<boolean> {
  const found = routeOf(path);
  const method = context.request.method === 'HEAD' ? 'GET' : context.request.method;
  const answer = found?.route.answers[method as 'GET']; // other methods have no answer
  if (!found || !answer) return false;
  const authenticated = await authenticate(context);
  if (authenticated.rawPin !== undefined) return false;
  const id = found.route.path.exec(path)?.[1] ?? '';
  // Without a price, only objects that were made before, or by a tool of a call, are reachable.
  if (!pathPrice(context.deps, found.kind.price) && !(await isOwn(context, authenticated, id))) return false;
  await answer(context, authenticated, id);
  return true;
}

async function isOwn({ deps }: HttpContext, { caller }: AuthenticatedCaller, id: string): Promise<boolean> {
  const { db, now } = deps;
  return (await findObjects(db, caller.userId, ['vector_store', 'container'], { ids: [id], now: now() })).has(id);
}

/** Adds a file to a container: one that was uploaded before, or the bytes of a form. */
async function copyFile(context: HttpContext, { caller }: AuthenticatedCaller, id: string): Promise<void> {
  const { deps, request } = context;
  const place = await placeOfOwn(deps, caller.userId, { kind: 'container', id });
  const claim = deps.bodies.claim(caller.userId);
  const intake = { claim, whenLarge: () => undefined };
  const locate = () => Promise.resolve(place);
  try {
    if (/json/i.test(request.headers['content-type'] ?? '')) {
      const body = await readBody(request, intake);
      const files = await filesNamedIn(deps, caller.userId, parseObject(body), body);
      if (files.place) checkTogether(files.place, place);
      return await passThrough(context, CONTAINERS_PATH, { body, locate });
    }
    const form = await readForm(request, deps.spools, intake);
    try {
      for (const { name, kept } of form.parts) {
        if (name !== 'file_id') continue;
        const json = { file_id: kept.toString('utf8') };
        const files = await filesNamedIn(deps, caller.userId, json, Buffer.from(JSON.stringify(json)));
        if (files.place) checkTogether(files.place, place);
      }
      await passThrough(context, CONTAINERS_PATH, { body: formFor(form, undefined), locate });
    } finally {
      await form.spool.close();
    }
  } finally {
    claim.release();
  }
}
