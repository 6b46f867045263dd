import type { ExpressionBuilder, Kysely } from 'kysely';
import { locked } from '#db/dialect-differences.ts';
import type { Tables } from '#db/tables.ts';

/** Leases that nodes are asked for. */
export interface RecalledLeases {
  userId: number;
  /** Of the user's balance, and of a token's quota unless it is 0; left out: neither. */
  tokenId?: number;
  /** On one limit, or on all limits of the account. */
  limit?: { scope: string; name: string } | 'all';
}

/** How nodes request idle leases from each other. */
export interface Recall {
  /** Asks all other nodes for leases; resolves with whether anything may have come back. */
  ask(leases: RecalledLeases): Promise<boolean>;
  /** Accounts whose leases this node is asked to return; token 0: the user's own lease. */
  asked(): Promise<[userId: number, tokenId: number][]>;
  /** The same for limits. */
  askedLimits(): Promise<{ userId: number; scope: string; name: string; starts: number }[]>;
}

const LOOK_MS = 100;
const PATIENCE_MS = 1_200;

export function openRecall(db: Kysely<Tables>, node: string): Recall {
  const creditsOfOthers = (userId: number, tokenId: number) =>
    db
      .selectFrom('leases')
      .where('user_id', '=', userId)
      .where('token_id', 'in', [0, tokenId])
      .where('node', '!=', node);
  const limitsOfOthers =
    ({ userId, limit }: RecalledLeases, flag: 'spare' | 'recalled') =>
    ({ eb, and }: ExpressionBuilder<Tables, 'limit_leases'>) =>
      and([
        eb('user_id', '=', userId),
        eb('node', '!=', node),
        eb(flag, '=', true),
        ...(typeof limit === 'object' ? [eb('scope', '=', limit.scope), eb('name', '=', limit.name)] : []),
      ]);
  const findLimit = (leases: RecalledLeases, flag: 'spare' | 'recalled') =>
    db.selectFrom('limit_leases').where(limitsOfOthers(leases, flag)).select('node').limit(1).executeTakeFirst();
  /** Locked in the order in which batches write them: the user's own lease first. */
  const markCredits = async (userId: number, tokenId: number): Promise<boolean> => {
    const held = creditsOfOthers(userId, tokenId).select(['token_id', 'node']).orderBy('token_id').orderBy('node');
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
  /** Only what nodes hold beyond open calls: most refusals find nothing, and need not wait. */
  const markLimits = async (leases: RecalledLeases): Promise<boolean> => {
    if (!(await findLimit(leases, 'spare'))) return false;
    return db.transaction().execute(async (trx) => {
      // Batches lock the account before they write its leases.
      await locked(trx.selectFrom('users').where('id', '=', leases.userId).select('id'), trx).execute();
      const { numUpdatedRows } = await trx
        .updateTable('limit_leases')
        .set({ recalled: true })
        .where(limitsOfOthers(leases, 'spare'))
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    });
  };
  return {
    async ask(leases) {
      const { userId, tokenId, limit } = leases;
      const credits = tokenId !== undefined && (await markCredits(userId, tokenId));
      const limits = limit !== undefined && (await markLimits(leases));
      if (!credits && !limits) return false;
      for (let waited = 0; waited < PATIENCE_MS; waited += LOOK_MS) {
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
        const pending =
          (credits &&
            (await creditsOfOthers(userId, tokenId)
              .where('recalled', '=', true)
              .select('node')
              .limit(1)
              .executeTakeFirst())) ||
          (limits && (await findLimit(leases, 'recalled')));
        if (!pending) break;
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
    askedLimits: () =>
      db
        .selectFrom('limit_leases')
        .where('node', '=', node)
        .where('recalled', '=', true)
        .select(['user_id as userId', 'scope', 'name', 'starts'])
        .execute(),
  };
}
