import { type Language, oneLine } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import type { Db } from '#db/tables.ts';
import { uniqueClash } from '#db/unique-clash.ts';
import { ensure } from '#errors.ts';
import { addIdentity, pictureOf } from '#features/account/identity/bind.ts';
import { findHolder } from '#features/account/identity/identity-queries.ts';
import type { Identity } from '#features/account/identity/identity.ts';
import { cut, freeName } from './name-for.ts';
import { createAccount } from '#features/account/user/create-account.ts';

/** The chosen name may be taken between check and insert; another one is tried then. */
const MOST_TRIES = 5;

type IdentitySignInDeps = Pick<Deps, 'db' | 'live' | 'now'>;

/** Values for a new account that do not come from the provider. */
export interface SignUpExtras {
  /** The inviter's referral code. */
  aff: string;
  language: Language;
  /** The client's address. */
  ip: string;
}

/**
 * The account that an identity signs in to: the connected one, else a new one. An account with merely the same name or
 * address is never used. Throws `register.closed`, `register.email_domain`, `oauth.email_taken`.
 */
export async function accountOf(identity: Identity, coming: SignUpExtras, deps: IdentitySignInDeps): Promise<number> {
  for (let tries = 1; ; tries++) {
    const holder = await findHolder(deps.db, identity);
    if (holder) {
      await deps.db
        .updateTable('identities')
        .set({ used_time: deps.now(), name: identity.name.slice(0, 255) })
        .where('id', '=', holder.id)
        .execute();
      return holder.user_id;
    }
    const awaited = await bindAwaited(identity, deps);
    if (awaited !== undefined) return awaited;
    try {
      return await register(identity, coming, deps);
    } catch (error) {
      // Lost a race against the same identity in another tab, or against the same name.
      if (uniqueClash(error) === undefined || tries === MOST_TRIES) throw error;
    }
  }
}

/**
 * The imported account that waits for this sign-in: one-hub identified accounts by the provider's user name alone.
 * It is bound once, and by its subject from then on.
 */
async function bindAwaited(identity: Identity, { db, now }: IdentitySignInDeps): Promise<number | undefined> {
  if (identity.username === '') return undefined;
  return db.transaction().execute(async (trx) => {
    const awaited = await trx
      .deleteFrom('awaited_identities')
      .where('provider', '=', identity.provider)
      .where('name', '=', identity.username.toLowerCase())
      .returning('user_id')
      .executeTakeFirst();
    if (!awaited) return undefined;
    const bound = await trx
      .selectFrom('identities')
      .where('user_id', '=', awaited.user_id)
      .where('provider', '=', identity.provider)
      .select('id')
      .executeTakeFirst();
    if (bound) return undefined;
    await addIdentity(trx, awaited.user_id, identity, { created_time: now(), used_time: now() });
    return awaited.user_id;
  });
}

async function register(
  identity: Identity,
  { ip, ...coming }: SignUpExtras,
  { db, live, now }: IdentitySignInDeps,
): Promise<number> {
  const { settings } = live;
  ensure(settings.RegisterEnabled, 'register.closed');
  const { email } = identity;
  if (settings.EmailDomainRestrictionEnabled) {
    const domain = email.toLowerCase().split('@')[1] ?? '';
    const allowed = settings.EmailDomainWhitelist.some((entry) => entry.toLowerCase() === domain);
    ensure(allowed, 'register.email_domain');
  }
  ensure(!(await isTaken(db, email)), 'oauth.email_taken', { provider: identity.provider });
  return db.transaction().execute(async (trx) => {
    const account = {
      username: await freeName(trx, identity),
      display_name: cut(oneLine(identity.displayName), 20),
      email: email.length <= 50 ? email : '',
      avatar_url: pictureOf(identity),
      password_hash: '',
      ...coming,
    };
    const id = await createAccount(trx, account, { settings, now: now(), ip });
    await addIdentity(trx, id, identity, { created_time: now(), used_time: now() });
    return id;
  });
}

/** Whether a verified address belongs to an account. Its owner has to sign in to it and connect the provider there. */
async function isTaken(db: Db, email: string): Promise<boolean> {
  if (email === '') return false;
  const found = await db
    .selectFrom('users')
    .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', email.toLowerCase()))
    .where('deleted_time', 'is', null)
    .select('id')
    .executeTakeFirst();
  return found !== undefined;
}
