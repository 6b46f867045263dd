import type { Kysely } from 'kysely';
import type { Db, Tables } from '#db/tables.ts';
import { uniqueClash } from '#db/unique-clash.ts';
import { AppError, ensure } from '#errors.ts';
import type { Identity } from './identity.ts';
import { findHolder } from './identity-queries.ts';

/** Inserts the link between an identity and an account. */
export async function addIdentity(
  db: Db,
  userId: number,
  { provider, issuer, subject, name }: Identity,
  times: { created_time: number; used_time: number },
): Promise<void> {
  await db
    .insertInto('identities')
    .values({ user_id: userId, provider, issuer, subject, name: name.slice(0, 255), ...times })
    .execute();
}

/**
 * Connects an identity to an account at its owner's request. For an identity that is connected already, only the
 * display name is updated. Throws `oauth.bound_elsewhere`, and `oauth.bound_other` if the account has another identity
 * of the same provider.
 */
export async function bind(db: Kysely<Tables>, userId: number, identity: Identity, now: number): Promise<void> {
  const names = { provider: identity.provider };
  try {
    await db.transaction().execute(async (trx) => {
      const holder = await findHolder(trx, identity);
      ensure(!holder || holder.user_id === userId, 'oauth.bound_elsewhere', names);
      if (holder) {
        await trx
          .updateTable('identities')
          .set({ name: identity.name.slice(0, 255) })
          .where('id', '=', holder.id)
          .execute();
        return;
      }
      // An identity of a replaced issuer can no longer sign in.
      await trx
        .deleteFrom('identities')
        .where('user_id', '=', userId)
        .where('provider', '=', identity.provider)
        .where('issuer', '<>', identity.issuer)
        .execute();
      await addIdentity(trx, userId, identity, { created_time: now, used_time: 0 });
      await trx
        .updateTable('users')
        .set({ avatar_url: pictureOf(identity) })
        .where('id', '=', userId)
        .where('avatar_url', '=', '')
        .execute();
    });
  } catch (error) {
    const clash = uniqueClash(error);
    if (clash === undefined) throw error;
    throw new AppError(clash.includes('subject') ? 'oauth.bound_elsewhere' : 'oauth.bound_other', names);
  }
}

/** The avatar's address, or '' unless it is an https address of reasonable length. */
export const pictureOf = ({ avatarUrl }: Identity): string =>
  /^https:\/\/\S{1,1000}$/.test(avatarUrl) ? avatarUrl : '';
