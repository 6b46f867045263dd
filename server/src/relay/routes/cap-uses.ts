import type { CapUse } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import { capUses, countersOf } from '#live/cap-use.ts';
import type { Caller } from '#live/callers.ts';

/** Use of a caller's caps. */
export async function usesOf({ db, now }: Pick<Deps, 'db' | 'now'>, { limits, tokenId }: Caller): Promise<CapUse[]> {
  if (!limits || limits.caps.length === 0) return [];
  return capUses(limits.caps, limits, await countersOf(db, [tokenId]), now());
}
