import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { role, type TeamRole, userStatus } from '@relay-hub/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Db } from '#db/tables.ts';
import type { BaseDeps } from '#base-deps.ts';
import { fingerprint } from '#secrets.ts';
import { clientIp } from '#http/client-ip.ts';
import { clearCookie, type Cookie, cookieIn, setCookie } from './cookies.ts';

const LIFETIME_S = 30 * 86_400;
const cookie: Cookie = { name: 'session', path: '/', lifetimeS: LIFETIME_S, sameSite: 'Lax' };
/** Sessions per account; a program that signs in for each call would otherwise add one each time. */
const MOST_OF_ACCOUNT = 200;
/** Maximum staleness of the last-used time, so that most reads do not write. */
export const SEEN_S = 300;

/** The caller, read from the database on each request, so that a new role or a ban applies immediately. */
export interface Viewer {
  id: number;
  username: string;
  role: number;
  group: string;
  /** The language in which the account last signed in; empty if not known. */
  language: string;
  /** Scopes of the access key that the request carries; undefined: it carries none, and all rights of the role hold. */
  scopes?: ReadonlySet<string>;
  /** Who acts for the account of a team, which the fields above describe; undefined: a person for themselves. */
  member?: ActingMember;
}

/** `rank`: their role on the site. */
export interface ActingMember {
  id: number;
  username: string;
  rank: number;
  role: TeamRole;
  costCentre: string;
}

/** The person behind a viewer. */
export const personOf = ({ id, member }: Viewer): number => member?.id ?? id;

/** The user of a request's session cookie; undefined without a valid session or for a disabled account. */
export async function findSignedIn(
  request: Pick<IncomingMessage, 'headers'>,
  { db, now }: Pick<BaseDeps, 'db' | 'now'>,
): Promise<Viewer | undefined> {
  const value = cookieIn(request, cookie);
  if (value === undefined) return undefined;
  const idHash = fingerprint(value);
  const found = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .where('sessions.id_hash', '=', idHash)
    .where('sessions.expires_time', '>', now())
    .where('users.status', '=', userStatus.enabled)
    .where('users.role', '>=', role.user)
    .where('users.deleted_time', 'is', null)
    .select(['users.id', 'users.username', 'users.role', 'users.group', 'users.language', 'sessions.seen_time'])
    .executeTakeFirst();
  if (!found) return undefined;
  const { seen_time: seen, ...viewer } = found;
  if (now() - seen > SEEN_S)
    noteUse(
      db
        .updateTable('sessions')
        .set({ seen_time: now(), expires_time: now() + LIFETIME_S })
        .where('id_hash', '=', idHash),
    );
  return viewer;
}

/** Writes in the background that a session or key was used: pages are shown while the database can only be read. */
export function noteUse(write: { execute(): Promise<unknown> }): void {
  // A later request writes it.
  write.execute().catch(() => {});
}

/** Opens a session and sets its cookie. Only the hash of the cookie is stored. */
export async function openSession(
  userId: number,
  request: FastifyRequest,
  reply: FastifyReply,
  { db, now, config }: Pick<BaseDeps, 'db' | 'now' | 'config'>,
): Promise<void> {
  // Never continue an existing session: its value may have been planted (session fixation).
  await endSession(request, db);
  const value = randomBytes(32).toString('base64url');
  await sweep(userId, { db, now });
  await db
    .insertInto('sessions')
    .values({
      id_hash: fingerprint(value),
      user_id: userId,
      created_time: now(),
      seen_time: now(),
      proved_time: now(),
      expires_time: now() + LIFETIME_S,
      ip: clientIp(request.raw, config.trustedProxies),
      user_agent: (request.headers['user-agent'] ?? '').slice(0, 300),
    })
    .execute();
  setCookie(value, cookie, { request, reply }, { config });
}

/** Makes room for another session of an account: deletes expired and least recently used ones. */
async function sweep(userId: number, { db, now }: Pick<BaseDeps, 'db' | 'now'>): Promise<void> {
  const own = db.selectFrom('sessions').where('user_id', '=', userId).select('id_hash');
  const oldest = await own
    .orderBy('expires_time', 'desc')
    .orderBy('id_hash')
    .offset(MOST_OF_ACCOUNT - 1)
    .limit(1000)
    .execute();
  const gone = oldest.map((session) => session.id_hash);
  await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where((eb) => {
      const expired = eb('expires_time', '<=', now());
      return gone.length === 0 ? expired : eb.or([expired, eb('id_hash', 'in', gone)]);
    })
    .execute();
}

/** Ends the session of a request, if any, and clears the cookie. */
export async function closeSession(request: FastifyRequest, reply: FastifyReply, db: Db): Promise<void> {
  if (await endSession(request, db)) clearCookie(cookie, { request, reply });
}

/** Deletes the session of a request; returns whether it had a session cookie. */
async function endSession(request: FastifyRequest, db: Db): Promise<boolean> {
  const value = cookieIn(request, cookie);
  if (value === undefined) return false;
  await db.deleteFrom('sessions').where('id_hash', '=', fingerprint(value)).execute();
  return true;
}

/** Storage key of a request's session, valid or not; undefined without a cookie. */
export function sessionOf(request: FastifyRequest): string | undefined {
  const value = cookieIn(request, cookie);
  return value === undefined ? undefined : fingerprint(value);
}

/** Whether two-step verification of an account is on. */
export async function hasTwoStep(userId: number, { db }: Pick<BaseDeps, 'db'>): Promise<boolean> {
  const totp = await db.selectFrom('totp').where('user_id', '=', userId).select('confirmed_time').executeTakeFirst();
  return (totp?.confirmed_time ?? 0) > 0;
}
