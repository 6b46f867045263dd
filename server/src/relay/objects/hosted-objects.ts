/** Paths of vector stores and containers, which providers keep for ordinary users at the operator's price. */
import { Buffer } from 'node:buffer';
import type { Deps } from '#deps.ts';
import type { Json } from '#json.ts';
import { findObjects } from '#affinity/upstream-objects.ts';
import { chargedCall } from '#relay/call/charged-call.ts';
import type { AuthenticatedCaller, HttpContext } from '#relay/types/call-types.ts';
import { readForm } from '#relay/forms/read-form.ts';
import { formFor } from '#relay/forms/form.ts';
import type { PathAnswer, PathMethod, PathRow } from '#relay/types/path-row.ts';
import { forUsers } from '#relay/pass-through/for-users.ts';
import { passThrough } from '#relay/pass-through/pass-through.ts';
import { readJsonObject } from '#relay/admission/read-json-object.ts';
import type { StatePlace } from '#relay/types/call-state.ts';
import { CONTAINERS_PATH, containerPrice, newContainer } from './containers.ts';
import { ObjectOrder, type OrderTerms, pathPrice } from './object-order.ts';
import { answerOwnList, checkTogether, filesNamedIn, type OwnedObject, placeOfOwn } from './own-objects.ts';
import { passOwn } from './pass-own.ts';
import { checkChange, moreFiles, newStore, searchIn, storagePrice, VECTOR_STORES_PATH } from './vector-stores.ts';

type Answer = (context: HttpContext, authenticated: AuthenticatedCaller, id: string) => Promise<void>;

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
    const { body, json, claim } = await readJsonObject(context, caller.userId);
    try {
      check(json);
      await passOwn(context, prefix, caller, { kind, id }, { body });
    } finally {
      claim.release();
    }
  };

const store = (options?: { removes?: boolean; shows?: boolean }): Answer =>
  passed('vector_store', VECTOR_STORES_PATH, options);
const container = (options?: { removes?: boolean; shows?: boolean }): Answer =>
  passed('container', CONTAINERS_PATH, options);

interface HostedKind {
  prefix: string;
  price: OrderTerms['price'];
}

const stores: HostedKind = { prefix: VECTOR_STORES_PATH, price: storagePrice };
const containers: HostedKind = { prefix: CONTAINERS_PATH, price: containerPrice };

/** A row for users. Without a price, only objects that were made before, or by a tool of a call, are reachable. */
function hostedRow({ prefix, price }: HostedKind, rest: string, answers: Partial<Record<PathMethod, Answer>>): PathRow {
  const offered = (answer: Answer): PathAnswer =>
    forUsers({ prefix }, async (context, authenticated, [id = '']) => {
      const isReachable = pathPrice(context.deps, price) || (await isOwn(context, authenticated, id));
      return isReachable ? answer(context, authenticated, id) : passThrough(context, prefix);
    });
  const path = prefix + rest;
  const own = Object.entries(answers).map(([method, answer]) => [method, offered(answer)] as const);
  return { path, endpoint: prefix, answers: Object.fromEntries(own) };
}

const listOf =
  (kind: 'vector_store' | 'container'): Answer =>
  (context, caller) =>
    answerOwnList(context, caller, { kind, ends: true });

/** Other methods and paths below are passed through. */
export const hostedRows: readonly PathRow[] = [
  hostedRow(stores, '', { POST: ordered(newStore), GET: listOf('vector_store') }),
  hostedRow(stores, '/{id}', {
    GET: store({ shows: true }),
    POST: checked('vector_store', VECTOR_STORES_PATH, checkChange),
    DELETE: store({ removes: true }),
  }),
  hostedRow(stores, '/{id}/search', { POST: ordered(searchIn) }),
  hostedRow(stores, '/{id}/files', { GET: store(), POST: ordered(moreFiles) }),
  hostedRow(stores, '/{id}/files/{id}', {
    GET: store(),
    POST: checked('vector_store', VECTOR_STORES_PATH, checkChange),
    DELETE: store(),
  }),
  hostedRow(stores, '/{id}/files/{id}/content', { GET: store() }),
  hostedRow(stores, '/{id}/file_batches', { POST: ordered(moreFiles) }),
  hostedRow(stores, '/{id}/file_batches/{id}', { GET: store() }),
  hostedRow(stores, '/{id}/file_batches/{id}/files', { GET: store() }),
  hostedRow(stores, '/{id}/file_batches/{id}/cancel', { POST: store() }),
  hostedRow(containers, '', { POST: ordered(newContainer), GET: listOf('container') }),
  hostedRow(containers, '/{id}', { GET: container({ shows: true }), DELETE: container({ removes: true }) }),
  hostedRow(containers, '/{id}/files', { GET: container(), POST: copyFile }),
  hostedRow(containers, '/{id}/files/{id}', { GET: container(), DELETE: container() }),
  hostedRow(containers, '/{id}/files/{id}/content', { GET: container() }),
];

async function isOwn({ deps }: HttpContext, { caller }: AuthenticatedCaller, id: string): Promise<boolean> {
  const { db, now } = deps;
  return (await findObjects(db, caller.userId, ['vector_store', 'container'], { ids: [id], now: now() })).has(id);
}

/** Adds a file to a container: one that was uploaded before, or the bytes of a form. */
async function copyFile(context: HttpContext, { caller }: AuthenticatedCaller, id: string): Promise<void> {
  const place = await placeOfOwn(context.deps, caller.userId, { kind: 'container', id });
  const isJson = /json/i.test(context.request.headers['content-type'] ?? '');
  await (isJson ? copyNamed(context, caller.userId, place) : copySent(context, caller.userId, place));
}

async function copyNamed(context: HttpContext, userId: number, place: StatePlace): Promise<void> {
  const { body, json, claim } = await readJsonObject(context, userId);
  try {
    await checkFiles(context.deps, userId, place, { json, body });
    await passThrough(context, CONTAINERS_PATH, { body, locate: () => Promise.resolve(place) });
  } finally {
    claim.release();
  }
}

async function copySent(context: HttpContext, userId: number, place: StatePlace): Promise<void> {
  const { deps, request } = context;
  const claim = deps.bodies.claim(userId);
  try {
    const form = await readForm(request, deps.spools, { claim, whenLarge: () => undefined });
    try {
      for (const { name, kept } of form.parts) {
        if (name !== 'file_id') continue;
        const json = { file_id: kept.toString('utf8') };
        await checkFiles(deps, userId, place, { json, body: Buffer.from(JSON.stringify(json)) });
      }
      await passThrough(context, CONTAINERS_PATH, {
        body: formFor(form, undefined),
        locate: () => Promise.resolve(place),
      });
    } finally {
      await form.spool.close();
    }
  } finally {
    claim.release();
  }
}

/** Rejects for a request that names files of other users, or of another account. */
async function checkFiles(
  deps: Deps,
  userId: number,
  place: StatePlace,
  { json, body }: { json: Json; body: Buffer },
): Promise<void> {
  const files = await filesNamedIn(deps, userId, json, body);
  if (files.place) checkTogether(files.place, place);
}
