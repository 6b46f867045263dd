import { findChain, findResponses, type StoredResponse, TooMuchStored } from '#affinity/response-store.ts';
import type { Deps } from '#deps.ts';
import { RelayError } from '#relay/reply/relay-error.ts';

/** The user's stored responses among these ids. Rejects with a 413 for more than one request can hold. */
export const loadResponses = (
  deps: Deps,
  userId: number,
  ids: readonly string[],
): Promise<Map<string, StoredResponse>> => findResponses(deps, userId, ids, deps.now()).catch(refuseSize);

/** Like `findChain`. Rejects with a 413 for a conversation that one request cannot hold. */
export const loadChain = (deps: Deps, userId: number, id: string): Promise<StoredResponse[] | undefined> =>
  findChain(deps, userId, id, deps.now()).catch(refuseSize);

function refuseSize(error: unknown): never {
  if (!(error instanceof TooMuchStored)) throw error;
  throw new RelayError(413, 'The stored conversation is larger than a request can be. Begin a new one.', {
    type: 'invalid_request_error',
    code: 'request_too_large',
  });
}
