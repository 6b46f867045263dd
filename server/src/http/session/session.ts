import { randomBytes } from 'node:crypto';
import { role, userStatus } from '@relay-hub/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Db } from '#db/tables.ts';
import type { BaseDeps } from '#base-deps.ts';
import { fingerprint } from '#secrets.ts';
import { clientIp, isSecure } from '#http/client-ip.ts';

const COOKIE = 'session';
const LIFETIME_S = 30 * 86_400;
/** So many of an account; a program that signs in anew for each call would leave one behind for each. */
const MOST_OF_ACCOUNT = 200;
/** How stale the time of last use may be; keeps reads from becoming writes. */
export const SEEN_S = 300;

/** Who is calling, read from the database on each request: a role or a ban takes effect at once. */
export interface Viewer {
  id: number;
  username: string;
  role: number;
  group: string;
}

/** The viewer of a request's session cookie; undefined without a valid session or for a disabled account. */
export async function findSignedIn(
  request: FastifyRequest,
  { db, now }: Pick<BaseDeps, 'db' | 'now'>,
): Promise<Viewer | undefined> {
  const value = cookieValue(request);
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
    .select(['users.id', 'users.username', 'users.role', 'users.group', 'sessions.seen_time'])
    .executeTakeFirst();
  if (!found) return undefined;
  const { seen_time: seen, ...viewer } = found;
  if (now() - seen > SEEN_S) {
    await db
      .updateTable('sessions')
      .set({ seen_time: now(), expires_time: now() + LIFETIME_S })
      .where('id_hash', '=', idHash)
      .execute();
  }
  return viewer;
}

/** Opens a session and sets its cookie. The cookie's value is not stored, only its hash. */
export async function openSession(
  userId: number,
  request: FastifyRequest,
  reply: FastifyReply,
  { db, now, config }: Pick<BaseDeps, 'db' | 'now' | 'config'>,
): Promise<void> {
  // A session that the browser brought along is not taken over: its value may have been planted.
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
  const secure = isSecure(request.raw, config.trustedProxies) ? '; Secure' : '';
  void reply.header('set-cookie', `${COOKIE}=${value}; Path=/; Max-Age=${LIFETIME_S}; HttpOnly; SameSite=Lax${secure}`);
}

/** Makes room for one more session of an account: what has expired goes, and what was used longest ago. */
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

/** Ends the session of a request, if it has one, and drops the cookie. */
export async function closeSession(request: FastifyRequest, reply: FastifyReply, db: Db): Promise<void> {
  if (await endSession(request, db))
    void reply.header('set-cookie', `${COOKIE}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax`);
}

/** Whether the request came with a session's cookie; the session is gone then. */
async function endSession(request: FastifyRequest, db: Db): Promise<boolean> {
  const value = cookieValue(request);
  if (value === undefined) return false;
  await db.deleteFrom('sessions').where('id_hash', '=', fingerprint(value)).execute();
  return true;
}

/** What the session of a request is stored under, whether it is still valid or not; undefined when it comes without one. */
export function sessionOf(request: FastifyRequest): string | undefined {
  const value = cookieValue(request);
  return value === undefined ? undefined : fingerprint(value);
}

function cookieValue(request: FastifyRequest): string | undefined {
  return /(?:^|;\s*)session=([\w-]{20,})/.exec(request.headers.cookie ?? '')?.[1];
}
