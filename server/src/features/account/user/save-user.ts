import type { newUser, User, userEdit } from '@relay-hub/contract';
import { role, username as usernameRule, userStatus } from '@relay-hub/contract';
import type { Kysely, Transaction } from 'kysely';
import type * as z from 'zod/mini';
import { locked } from '#db/dialect-differences.ts';
import { given } from '#db/given.ts';
import type { Tables } from '#db/tables.ts';
import { uniqueClash } from '#db/unique-clash.ts';
import { AppError, ensure } from '#errors.ts';
import { hashChosenPassword } from '#passwords.ts';
import { post } from '#quota/ledger.ts';
import { disableTokens, endAccess } from '#features/account/access/end-access.ts';
import { addEvent } from '#notifications/add-event.ts';
import { newShape } from './look-alike.ts';
import { ensureOutranks, holdPair } from '#features/account/access/user-rank.ts';
import { getUser } from './user-record.ts';

/**
 * Creates a plain user. Throws `record.exists` for a taken name or address, `user.name_alike`, `user.password_easy`,
 * `group.unknown`.
 */
export async function createUser(
  db: Kysely<Tables>,
  actorId: number,
  { quota, password, ...input }: z.output<typeof newUser>,
  now: number,
): Promise<User> {
  const password_hash = await hashChosenPassword(password, [input.username, input.email]);
  const made = db.transaction().execute(async (trx) => {
    await holdGroup(trx, input.group);
    const account = {
      ...input,
      username_shape: await newShape(trx, input.username),
      display_name: input.display_name || input.username,
      password_hash,
      role: role.user,
      status: userStatus.enabled,
      created_time: now,
    };
    const { id } = await trx.insertInto('users').values(account).returning('id').executeTakeFirstOrThrow();
    const data = { id, username: input.username };
    await addEvent(trx, { type: 'user.created', object: `user:${id}`, userId: id, data, now });
    if (quota > 0)
      await post(trx, {
        user_id: id,
        kind: 'gift',
        credits: quota,
        reference: `gift:${id}`,
        actor_id: actorId,
        remark: '',
        created_time: now,
      });
    return getUser(trx, id);
  });
  return orTaken(made, input);
}

/**
 * Updates an account of a lower role. A new password ends its sessions and access token, and disables its API tokens
 * if `disable_tokens` is set. Throws `record.not_found`, `user.rank`, `record.exists`, `group.unknown`, `user.name`, `user.by_manage`, and
 * `user.password_easy`, `user.own_password`: one's own needs the current password.
 */
export async function updateUser(
  db: Kysely<Tables>,
  actorId: number,
  { id, password, disable_tokens: withTokens = false, role: sentRole, status, ...changes }: z.output<typeof userEdit>,
  now: number,
): Promise<User & { disabled_tokens?: number }> {
  const names = password
    ? await db.selectFrom('users').where('id', '=', id).select(['username', 'email']).executeTakeFirst()
    : undefined;
  const password_hash = password
    ? await hashChosenPassword(
        password,
        [changes.username, changes.email, names?.username, names?.email].filter(isText),
      )
    : undefined;
  const updated = db.transaction().execute(async (trx) => {
    const pair = await holdPair(trx, actorId, { id });
    ensureOutranks(pair);
    ensure(password_hash === undefined || id !== actorId, 'user.own_password', { field: 'password' });
    const before = await getUser(trx, id);
    ensureName(changes.username, before.username);
    ensure(sentRole === undefined || sentRole === before.role, 'user.by_manage', { field: 'role' });
    ensure(status === undefined || status === before.status, 'user.by_manage', { field: 'status' });
    if (changes.group !== undefined && changes.group !== before.group) await holdGroup(trx, changes.group);
    const columns = given({
      ...changes,
      ...(await shapeOf(trx, changes.username, before)),
      ...(password_hash && { password_hash, password_time: now }),
    });
    if (Object.keys(columns).length > 0) await trx.updateTable('users').set(columns).where('id', '=', id).execute();
    if (!password_hash) return getUser(trx, id);
    await endAccess(trx, id);
    const disabled_tokens = withTokens ? await disableTokens(trx, id, now) : 0;
    return { ...(await getUser(trx, id)), disabled_tokens };
  });
  return orTaken(updated, changes);
}

const isText = (text: string | undefined): text is string => text !== undefined;

/** Validates a changed name; names older than the rule may stay. Throws `user.name`. */
export function ensureName(name: string | undefined, before: string): void {
  const kept = name === undefined || name === before;
  ensure(kept || usernameRule.safeParse(name).success, 'user.name', { field: 'username' });
}

/** Columns that change with the name. Throws `user.name_alike`. */
export async function shapeOf(
  db: Kysely<Tables>,
  name: string | undefined,
  before: { id: number; username: string },
): Promise<{ username_shape?: string }> {
  return name === undefined || name === before.username ? {} : { username_shape: await newShape(db, name, before.id) };
}

/** Locks the group, so that it cannot be deleted or disabled concurrently. */
export async function holdGroup(trx: Transaction<Tables>, symbol: string): Promise<void> {
  const group = trx.selectFrom('user_groups').where('symbol', '=', symbol).where('enable', '=', true).select('id');
  ensure(await locked(group, trx).executeTakeFirst(), 'group.unknown', { field: 'group', name: symbol });
}

/** Turns a unique clash of name or address into `record.exists` for its field. */
export async function orTaken<T>(
  work: Promise<T>,
  { username = '', email = '' }: { username?: string | undefined; email?: string | undefined },
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const clash = uniqueClash(error);
    if (clash?.includes('email')) throw new AppError('record.exists', { field: 'email', name: email });
    if (clash?.includes('username')) throw new AppError('record.exists', { field: 'username', name: username });
    throw error;
  }
}
