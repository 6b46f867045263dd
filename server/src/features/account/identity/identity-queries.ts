import type { IdentityProvider, OwnIdentity } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import { locked } from '#db/dialect-differences.ts';
import type { Db, Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { ensureOutranks, holdPair } from '#features/account/access/user-rank.ts';
import type { Settings } from '#settings.ts';
import type { Identity } from './identity.ts';

/** Whether users can currently sign in through a provider. */
export function isWayIn(provider: string, settings: Settings): boolean {
  switch (provider) {
    case 'github':
      return settings.GitHubOAuthEnabled && settings.GitHubClientId !== '';
    case 'oidc':
      return settings.OIDCAuthEnabled && settings.OIDCIssuer !== '' && settings.OIDCClientId !== '';
    case 'lark':
      return settings.LarkAuthEnabled && settings.LarkClientId !== '';
    case 'wechat':
      return settings.WeChatAuthEnabled && settings.WeChatServerAddress !== '';
    default:
      return false;
  }
}

/** The account connected to an identity, found by issuer and subject only. */
export function findHolder(
  db: Db,
  { provider, issuer, subject }: Pick<Identity, 'provider' | 'issuer' | 'subject'>,
): Promise<{ id: number; user_id: number } | undefined> {
  return db
    .selectFrom('identities')
    .where('provider', '=', provider)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .select(['id', 'user_id'])
    .executeTakeFirst();
}

/** The identities connected to an account, oldest first. */
export async function listIdentities(db: Db, userId: number, settings: Settings): Promise<OwnIdentity[]> {
  const rows = await db
    .selectFrom('identities')
    .where('user_id', '=', userId)
    .select(['provider', 'name', 'created_time', 'used_time'])
    .orderBy('id')
    .execute();
  const others = await otherWaysIn(db, userId, settings);
  const ways = rows.filter(({ provider }) => isWayIn(provider, settings));
  return rows.map((row) => ({
    ...row,
    provider: row.provider as IdentityProvider, // only `bind` writes this column
    last_way_in: others === 0 && ways.length === 1 && ways[0] === row,
  }));
}

/**
 * Disconnects an identity. Throws `record.not_found`, and `oauth.last_way_in` if it is the account's last sign-in
 * method.
 */
export async function unbind(
  db: Kysely<Tables>,
  userId: number,
  provider: IdentityProvider,
  settings: Settings,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // Two concurrent disconnects could otherwise remove the last sign-in method.
    await locked(trx.selectFrom('users').where('id', '=', userId).select('id'), trx).executeTakeFirst();
    const bound = (await listIdentities(trx, userId, settings)).find((identity) => identity.provider === provider);
    ensure(bound, 'record.not_found', { field: 'provider' });
    ensure(!bound.last_way_in, 'oauth.last_way_in');
    await trx.deleteFrom('identities').where('user_id', '=', userId).where('provider', '=', provider).execute();
  });
}

/**
 * Disconnects another user's identity, even the last sign-in method, because an administrator can set a password.
 * Throws `record.not_found`, `user.rank`, and `user.self`: administrators disconnect their own with a proof.
 */
export async function unbindOf(
  db: Kysely<Tables>,
  actorId: number,
  { id, provider }: { id: number; provider: IdentityProvider },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const pair = await holdPair(trx, actorId, { id });
    ensureOutranks(pair);
    ensure(pair.actor.id !== pair.target.id, 'user.self');
    const bound = trx.deleteFrom('identities').where('user_id', '=', id).where('provider', '=', provider);
    ensure(await bound.returning('id').executeTakeFirst(), 'record.not_found', { field: 'provider' });
  });
}

/** Number of sign-in methods other than the password that the account has under these settings. */
export async function waysBeside(
  db: Db,
  userId: number,
  settings: Settings,
): Promise<{ passkeys: number; accounts: number }> {
  const passkeys = await db.selectFrom('passkeys').where('user_id', '=', userId).select('id').execute();
  const bound = await db.selectFrom('identities').where('user_id', '=', userId).select('provider').execute();
  return {
    passkeys: passkeys.length,
    accounts: bound.filter(({ provider }) => isWayIn(provider, settings)).length,
  };
}

/** Number of sign-in methods other than identities: password and passkeys. */
async function otherWaysIn(db: Db, userId: number, { PasswordLoginEnabled }: Settings): Promise<number> {
  const { password_hash: hash } = await db
    .selectFrom('users')
    .where('id', '=', userId)
    .select('password_hash')
    .executeTakeFirstOrThrow();
  const passkey = await db.selectFrom('passkeys').where('user_id', '=', userId).select('id').executeTakeFirst();
  return Number(PasswordLoginEnabled && hash !== '') + Number(passkey !== undefined);
}
