/** Objects of a user at a provider, by the rows that say where they are. */
import type { Buffer } from 'node:buffer';
import { type Json, objectOr, parseJson } from '#json.ts';
import {
  countObjects,
  findObjects,
  type FoundObject,
  listObjects,
  type ObjectOwner,
  rememberObjects,
} from '#affinity/upstream-objects.ts';
import type { UpstreamObjectKind } from '#db/tables/kept-objects.ts';
import type { Deps } from '#deps.ts';
import type { LiveChannel } from '#live/routing-table.ts';
import type { AuthenticatedCaller, HttpContext } from '#relay/types/call-types.ts';
import { RAW_BODY_LIMIT } from '#relay/pass-through/raw-body.ts';
import { checkRate, withRate } from '#relay/admission/call-rate.ts';
import { pageById } from './id-page.ts';
import { badRequest, RelayError } from '#relay/reply/relay-error.ts';
import { sendJson } from '#relay/reply/send-json.ts';
import { queryOf } from '#relay/body/url-query.ts';
import type { StatePlace } from '#relay/types/call-state.ts';
import { fileIdsIn } from '#relay/state/file-ids.ts';
import { fileNotFound } from '#relay/state/object-refusals.ts';
import { hostedIdsIn } from '#relay/state/hosted-ids.ts';
import { placeForNew } from './new-place.ts';

/** An object of a caller, by the last part of its path. */
export interface OwnedObject {
  kind: UpstreamObjectKind;
  id: string;
}

/** A user's object. Rejects with a 404 for an object of another user. */
export async function findOwn({ db, now }: Deps, userId: number, { kind, id }: OwnedObject): Promise<FoundObject> {
  const found = (await findObjects(db, userId, [kind], { ids: [id], now: now() })).get(id);
  if (!found) throw fileNotFound(id);
  return found;
}

/** Where a user's object is kept. Rejects with a 404 for an object of another user. */
export async function placeOfOwn(deps: Deps, userId: number, object: OwnedObject): Promise<StatePlace> {
  return placeOf(await findOwn(deps, userId, object));
}

const placeOf = ({ channelId, keyId }: StatePlace): StatePlace => ({ channelId, keyId });

/** Files of the caller that a request names. */
interface NamedFiles {
  ids: string[];
  /** All of them together. */
  bytes: number;
  /** Undefined: none is named. */
  place: StatePlace | undefined;
}

/** Most files that one request can name. */
const MAX_NAMED = 2000;

/**
 * The caller's files that a request names. Rejects with a 404 for files of other users, and with a 400 if they are not
 * kept together.
 */
export async function filesNamedIn(deps: Deps, userId: number, json: Json, bytes: Buffer): Promise<NamedFiles> {
  const ids = fileIdsIn(json, bytes);
  if (ids.length > MAX_NAMED) throw badRequest(`A request can name at most ${MAX_NAMED} files.`, 'file_ids');
  // A container may load skills.
  const [other] = hostedIdsIn({ tools: [json] }, bytes);
  if (other !== undefined) throw fileNotFound(other);
  if (ids.length === 0) return { ids, bytes: 0, place: undefined };
  const found = await findObjects(deps.db, userId, ['file'], { ids, now: deps.now() });
  let place: StatePlace | undefined;
  let sum = 0;
  for (const id of ids) {
    const file = found.get(id);
    if (!file) throw fileNotFound(id);
    if (place) checkTogether(file, place);
    place = placeOf(file);
    const size = objectOr(parseJson(file.data))['bytes'];
    sum += typeof size === 'number' && Number.isSafeInteger(size) && size >= 0 ? size : RAW_BODY_LIMIT;
  }
  return { ids, bytes: sum, place };
}

/** Throws a 400 if two objects of one request are kept by different accounts. */
export function checkTogether(a: StatePlace, b: StatePlace): void {
  if (a.channelId !== b.channelId || a.keyId !== b.keyId)
    throw badRequest('The request refers to objects that different providers keep.', 'file_ids');
}

/**
 * The number in `expires_after` of a new object. Throws a 400 unless it is whole, from 1 to `most`, and counts from the
 * last use.
 */
export function lifetimeIn(
  value: unknown,
  { unit, usual, most }: { unit: 'days' | 'minutes'; usual: number; most: number },
): number {
  if (value == null) return usual;
  const { anchor = 'last_active_at', [unit]: number } = objectOr(value);
  const isValid = typeof number === 'number' && Number.isInteger(number) && number >= 1 && number <= most;
  if (anchor === 'last_active_at' && isValid) return number;
  throw badRequest(
    `'expires_after' is not valid: it must have the anchor last_active_at and 1 to ${most} ${unit}.`,
    'expires_after',
  );
}

interface NewObjectTerms {
  kind: UpstreamObjectKind;
  /** Their plural in messages. */
  plural: string;
  most: number;
  keeps(channel: LiveChannel): boolean;
}

/** The account for a new object: that of the files in its request. Rejects with a 400 for too many, a 404 without a channel. */
export async function placeOfNew(
  deps: Deps,
  { caller, group }: Pick<AuthenticatedCaller, 'caller' | 'group'>,
  named: StatePlace | undefined,
  { kind, plural, most, keeps }: NewObjectTerms,
): Promise<StatePlace> {
  const { userId } = caller;
  if ((await countObjects(deps.db, userId, kind, deps.now())) >= most)
    throw badRequest(`You have ${most} ${plural}, the most that are kept. Delete some first.`);
  const channel = named && deps.live.routes.channel(named.channelId);
  if (channel && !keeps(channel))
    throw badRequest('The provider that keeps the files has no such objects.', 'file_ids');
  const place = named ?? (await placeForNew(deps, { caller, group: group.symbol, kinds: [kind, 'file'], keeps }));
  if (place) return place;
  throw new RelayError(404, `No channel of your group keeps ${plural}.`, {
    type: 'invalid_request_error',
    code: 'unknown_url',
  });
}

/** Records an object at a place. `until`: Unix seconds. */
export const rememberOwn = (
  { db, now }: Deps,
  owner: ObjectOwner,
  { kind, id, place, shown, until }: OwnedObject & { place: StatePlace; shown: Json; until: number },
): Promise<void> =>
  rememberObjects(db, owner, [{ kind, id, ...place, parentId: '', tokens: 0, data: JSON.stringify(shown) }], {
    now: now(),
    until,
  });

/** Answers with a page of the caller's objects, newest first. `ends`: their paid time is shown. */
export async function answerOwnList(
  context: HttpContext,
  { caller }: Pick<AuthenticatedCaller, 'caller'>,
  { kind, ends, isShown }: { kind: UpstreamObjectKind; ends: boolean; isShown?: (object: Json) => boolean },
): Promise<void> {
  const { deps, response, requestId } = context;
  const rate = await checkRate(deps, caller);
  try {
    const rows = await listObjects(deps.db, caller.userId, kind, deps.now());
    const objects = rows.flatMap(({ data, expires_at }) => {
      if (data === '') return [];
      const object = { ...objectOr(parseJson(data)), ...(ends && { expires_at }) };
      return !isShown || isShown(object) ? [object] : [];
    });
    const page = pageById(objects, queryOf(context), { usual: 20, most: 100 });
    sendJson(response, requestId, { object: 'list', ...page }, rate);
  } catch (error) {
    throw withRate(error, rate);
  }
}
