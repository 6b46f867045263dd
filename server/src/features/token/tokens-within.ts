import type { Db } from '#db/tables.ts';
import { ownRowsOf } from '#http/session/acting.ts';
import type { Viewer } from '#http/session/session.ts';

/** Filters on the tokens of an account; 0 and empty: none. */
interface HolderFilter {
  token_id?: number;
  member_id?: number;
  tag?: string;
}

/**
 * Ids of the account's tokens, deleted ones too, that a viewer reaches and that match; undefined: all of them, with what
 * belongs to no token. Its rows are those of these tokens.
 */
export async function tokensWithin(
  db: Db,
  viewer: Viewer,
  { token_id = 0, member_id = 0, tag = '' }: HolderFilter,
): Promise<readonly number[] | undefined> {
  const own = ownRowsOf(viewer);
  if (own === undefined && member_id === 0 && tag === '') return undefined;
  const rows = await db
    .selectFrom('tokens')
    .where('user_id', '=', viewer.id)
    .$if(own !== undefined, (tokens) => tokens.where('member_id', '=', own ?? 0))
    .$if(member_id !== 0, (tokens) => tokens.where('member_id', '=', member_id))
    .$if(tag !== '', (tokens) => tokens.where('tag', '=', tag))
    .$if(token_id !== 0, (tokens) => tokens.where('id', '=', token_id))
    .select('id')
    .execute();
  return rows.map(({ id }) => id);
}
