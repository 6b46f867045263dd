import type { AccessTokenScope, OwnSecurity, OwnSession } from '@relay-hub/contract';
import { tokenStatus } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { newAccessToken } from '#http/session/access-token.ts';
import { isPlaygroundToken } from '#live/playground-token.ts';
import { fingerprint } from '#secrets.ts';
import { setAccessToken } from '#features/account/access/end-access.ts';

/** Sessions are identified by a prefix of their hash, which cannot be used to sign in. */
const ID_LENGTH = 16;
const shortId = (hash: string): string => hash.slice(0, ID_LENGTH);

/** An account's sessions, most recently used first. `current` is the hash of the caller's session. */
export async function listSessions(
  db: Db,
  userId: number,
  { current, now }: { current: string | undefined; now: number },
): Promise<OwnSession[]> {
  const rows = await db
    .selectFrom('sessions')
    .where('user_id', '=', userId)
    .where('expires_time', '>', now)
    .select(['id_hash', 'created_time', 'seen_time', 'ip', 'user_agent'])
    .orderBy('seen_time', 'desc')
    .orderBy('id_hash')
    .execute();
  return rows.map(({ id_hash, ...session }) => ({ ...session, id: shortId(id_hash), current: id_hash === current }));
}

/** Throws `record.not_found` if the session is gone or belongs to another account. */
export async function endSession(db: Db, userId: number, id: string): Promise<void> {
  const own = await db.selectFrom('sessions').where('user_id', '=', userId).select('id_hash').execute();
  const found = own.find(({ id_hash }) => shortId(id_hash) === id);
  ensure(found, 'record.not_found', { field: 'id' });
  await db.deleteFrom('sessions').where('id_hash', '=', found.id_hash).execute();
}

/** The sign-in protections of an account, and when its owner is reminded of a low balance. */
export async function getSecurity(
  { db, live: { settings } }: Pick<Deps, 'db' | 'live'>,
  userId: number,
): Promise<OwnSecurity> {
  const user = await db
    .selectFrom('users')
    .where('id', '=', userId)
    .select(['password_hash', 'password_time', 'remind_quota', 'limit_mails', 'announcement_mails', 'expiry_mail_days'])
    .select(['access_token_hash', 'access_token_hint', 'access_token_time', 'access_token_used_time'])
    .select('access_token_scope')
    .select((eb) =>
      eb
        .selectFrom('tokens')
        .whereRef('tokens.user_id', '=', 'users.id')
        .where('tokens.status', '=', tokenStatus.enabled)
        .where('tokens.deleted_time', 'is', null)
        .where((tokens) => tokens.not(isPlaygroundToken(tokens)))
        .select(eb.fn.countAll<number>().as('count'))
        .as('enabled_tokens'),
    )
    .executeTakeFirstOrThrow();
  return {
    enabled_tokens: Number(user.enabled_tokens),
    has_password: user.password_hash !== '',
    password_time: user.password_time,
    remind_quota: user.remind_quota,
    limit_mails: user.limit_mails,
    announcement_mails: user.announcement_mails,
    expiry_mail_days: user.expiry_mail_days,
    site_remind_quota: settings.QuotaRemindThreshold,
    family_mode: settings.FamilyMode,
    access_token: user.access_token_hash
      ? {
          hint: user.access_token_hint,
          created_time: user.access_token_time,
          used_time: user.access_token_used_time,
          scope: user.access_token_scope,
        }
      : null,
  };
}

/** Gives the access token a scope, or takes it. Throws `record.not_found` without a token. */
export async function setScope(db: Db, userId: number, scope: AccessTokenScope): Promise<void> {
  const changed = await db
    .updateTable('users')
    .set({ access_token_scope: scope })
    .where('id', '=', userId)
    .where('access_token_hash', 'is not', null)
    .returning('id')
    .executeTakeFirst();
  ensure(changed, 'record.not_found');
}

/** Replaces the access token and returns the new one; only its hash is stored. */
export async function makeAccessToken(
  db: Db,
  userId: number,
  { now, keepScope }: { now: number; keepScope: boolean },
): Promise<string> {
  const token = newAccessToken();
  const hint = `${token.slice(0, 4)}••••••••${token.slice(-4)}`;
  await setAccessToken(db, userId, { hash: fingerprint(token), hint, now, keepScope });
  return token;
}
