import type { Kysely } from 'kysely';
import { locked } from '#db/dialect-differences.ts';
import type { Tables } from '#db/tables.ts';

/** How nodes request idle leased credits from each other. */
export interface Recall {
  /** Asks all other nodes for their leases of an account; resolves with whether any credits may have come back. */
  ask(userId: number, tokenId: number): Promise<boolean>;
  /** Accounts whose leases this node is asked to return; token 0: the user's own lease. */
  asked(): Promise<[userId: number, tokenId: number][]>;
}

const LOOK_MS = 100;
const PATIENCE_MS = 1_200;

export function openRecall(db: Kysely<Tables>, node: string): Recall {
  const ofOthers = (userId: number, tokenId: number) =>
    db
      .selectFrom('leases')
      .where('user_id', '=', userId)
      .where('token_id', 'in', [0, tokenId])
      .where('node', '!=', node)
      .where('recalled', '=', true)
      .select('node')
      .limit(1)
      .executeTakeFirst();
  /** Locked in the order in which batches write them: the user's own lease first. */
  const mark = async (userId: number, tokenId: number): Promise<boolean> => {
    const held = db
      .selectFrom('leases')
      .where('user_id', '=', userId)
      .where('token_id', 'in', [0, tokenId])
      .where('node', '!=', node)
      .select(['token_id', 'node'])
      .orderBy('token_id')
      .orderBy('node');
    const { numUpdatedRows } = await db
      .updateTable('leases')
      .set({ recalled: true })
      .where('user_id', '=', userId)
      .where(({ eb, refTuple }) =>
        eb(refTuple('token_id', 'node'), 'in', locked(held, db).$asTuple('token_id', 'node')),
      )
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  };
  return {
    async ask(userId, tokenId) {
      if (!(await mark(userId, tokenId))) return false;
      for (let waited = 0; waited < PATIENCE_MS; waited += LOOK_MS) {
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
        if (!(await ofOthers(userId, tokenId))) break;
      }
      return true;
    },
    async asked() {
      const rows = await db
        .selectFrom('leases')
        .where('node', '=', node)
        .where('recalled', '=', true)
        .select(['user_id', 'token_id'])
        .execute();
      return rows.map(({ user_id, token_id }) => [user_id, token_id]);
    },
  };
}
