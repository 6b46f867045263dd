import { playgroundToken, tokenStatus } from '@relay-hub/contract';
import type { ExpressionBuilder, Kysely } from 'kysely';
import { locked } from '#db/dialect-differences.ts';
import type { Db, Tables } from '#db/tables.ts';
import { fingerprint, randomText, type Secrets } from '#secrets.ts';
import { asCaller, type Caller, findCallers } from './callers.ts';

/** Whether a row of `tokens` is the playground's token of its user: no one knows its key, so its hint is empty. */
export const isPlaygroundToken = (eb: ExpressionBuilder<Tables, 'tokens'>) =>
  eb.and([eb('tokens.name', '=', playgroundToken), eb('tokens.key_hint', '=', '')]);

interface PlaygroundDeps {
  db: Kysely<Tables>;
  secrets: Secrets;
  now(): number;
}

/** Whose playground: a person's own, or that of a member of a team. */
export interface PlaygroundOwner {
  id: number;
  member?: { id: number } | undefined;
}

/** The caller of a playground, whose token is created on demand; undefined for a deleted account. */
export async function playgroundCaller(deps: PlaygroundDeps, owner: PlaygroundOwner): Promise<Caller | undefined> {
  const known = await findPlaygroundCaller(deps.db, owner);
  if (known) return known;
  await createPlaygroundToken(deps, owner);
  return findPlaygroundCaller(deps.db, owner);
}

/** A new password disables all keys of a user. It ends their sessions too, so the token need not stay disabled. */
async function findPlaygroundCaller(db: Db, { id, member }: PlaygroundOwner): Promise<Caller | undefined> {
  const tokens = findCallers(db)
    .where('tokens.user_id', '=', id)
    .where('tokens.member_id', 'is not distinct from', member?.id ?? null)
    .where(isPlaygroundToken);
  const row = await tokens.orderBy('tokens.id').executeTakeFirst();
  return row && { ...(await asCaller(db, row)), tokenStatus: tokenStatus.enabled };
}

async function createPlaygroundToken({ db, secrets, now }: PlaygroundDeps, owner: PlaygroundOwner): Promise<void> {
  const { id: userId, member } = owner;
  await db.transaction().execute(async (trx) => {
    // Of two first calls at once, the second waits here and then sees the token of the first.
    await locked(trx.selectFrom('users').where('id', '=', userId).select('id'), trx).execute();
    if (await findPlaygroundCaller(trx, owner)) return;
    await trx
      .insertInto('tokens')
      .values({
        user_id: userId,
        member_id: member?.id ?? null,
        name: playgroundToken,
        // The hash of a random text that is not kept.
        key_hash: fingerprint(randomText(48)),
        key_cipher: secrets.encrypt(''),
        key_hint: '',
        status: tokenStatus.enabled,
        created_time: now(),
        expired_time: -1,
        remain_quota: 0,
        unlimited_quota: true,
        group: '',
        enable_cache: false,
      })
      .execute();
  });
}
