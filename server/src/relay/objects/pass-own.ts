import type { Json } from '#json.ts';
import { forgetObject, renewData } from '#affinity/upstream-objects.ts';
import type { Caller } from '#live/callers.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import { type ObjectTerms, passThrough } from '#relay/pass-through/pass-through.ts';
import { type OwnedObject, placeOfOwn } from './own-objects.ts';

interface Passing extends Pick<ObjectTerms, 'dialect' | 'body'> {
  /** The request deletes the object. */
  removes?: boolean;
  /** The reply describes the object, as lists show it. */
  shows?: boolean;
}

/** Passes a request about an object of the caller to the account that keeps it. Rejects with a `RelayError`. */
export function passOwn(
  context: HttpContext,
  prefix: string,
  { userId }: Pick<Caller, 'userId'>,
  object: OwnedObject,
  { removes = false, shows = false, ...terms }: Passing = {},
): Promise<void> {
  const { deps, request } = context;
  const { id } = object;
  return passThrough(context, prefix, {
    ...terms,
    locate: () => placeOfOwn(deps, userId, object),
    ...(removes && { learn: () => forgetObject(deps.db, userId, id) }),
    // A reply to HEAD shows nothing.
    ...(shows &&
      request.method === 'GET' && { learn: (reply: Json) => renewData(deps.db, userId, id, JSON.stringify(reply)) }),
  });
}
