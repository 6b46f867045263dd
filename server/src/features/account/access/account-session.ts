import type { SessionUser } from '@relay-hub/contract';
import { eventData, role, userStatus } from '@relay-hub/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Transaction } from 'kysely';
import { locked } from '#db/dialect-differences.ts';
import type { Db, Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { clientIp } from '#http/client-ip.ts';
import { openSession } from '#http/session/session.ts';
import { addEvent } from '#notifications/add-event.ts';

/** Locks an account during sign-in, so that a password change, which ends sessions, happens before or after. */
export function holdAccount(trx: Transaction<Tables>, userId: number): Promise<{ password_hash: string } | undefined> {
  const account = trx.selectFrom('users').where('id', '=', userId).select('password_hash');
  return locked(account, trx).executeTakeFirst();
}

/** Sign-ins right after registering are the owner's. */
const FRESH_S = 3600;

/** Writes an event for a sign-in from a browser and place that the account has not used. Call it before `openSession`. */
export async function noteSignIn(
  trx: Db,
  userId: number,
  request: FastifyRequest,
  { config, now }: Pick<Deps, 'config' | 'now'>,
): Promise<void> {
  const ip = clientIp(request.raw, config.trustedProxies);
  const user_agent = (request.headers['user-agent'] ?? '').slice(0, 300);
  const account = await trx.selectFrom('users').where('id', '=', userId).select('created_time').executeTakeFirst();
  if (!account || now() - account.created_time < FRESH_S) return;
  const object = `user:${userId}`;
  const known = await trx.selectFrom('sessions').where('user_id', '=', userId).select(['ip', 'user_agent']).execute();
  const told = await trx
    .selectFrom('outbox')
    .where('object', '=', object)
    .where('type', '=', 'login.new')
    .select('payload')
    .execute();
  const before = [...known, ...told.map(({ payload }) => eventData['login.new'].parse(JSON.parse(payload)))];
  const isKnown = before.some(
    (each) => each.ip === ip || (each.user_agent === user_agent && placeOf(each.ip) === placeOf(ip)),
  );
  if (isKnown) return;
  await addEvent(trx, { type: 'login.new', object, userId, severity: 'warning', data: { ip, user_agent }, now: now() });
}

/** The first half of an IPv4 address, the first three groups of IPv6: about a provider and town. */
const placeOf = (ip: string): string => ip.split(/[.:]/, ip.includes(':') ? 3 : 2).join('.');

/** Signs in without a second step. */
export async function signInAtOnce(
  userId: number,
  request: FastifyRequest,
  reply: FastifyReply,
  deps: Deps,
): Promise<void> {
  await noteSignIn(deps.db, userId, request, deps);
  await openSession(userId, request, reply, deps);
  await deps.db.updateTable('users').set({ last_login_time: deps.now() }).where('id', '=', userId).execute();
}

/** The account if it may sign in. Throws `login.failed`. */
export async function getEnabledUser({ db }: Pick<Deps, 'db'>, userId: number): Promise<SessionUser> {
  const user = await db
    .selectFrom('users')
    .where('id', '=', userId)
    .where('status', '=', userStatus.enabled)
    .where('role', '>=', role.user)
    .where('deleted_time', 'is', null)
    .select(['id', 'username', 'display_name', 'avatar_url', 'role', 'status'])
    .executeTakeFirst();
  ensure(user, 'login.failed');
  return user;
}
