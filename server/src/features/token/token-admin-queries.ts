import type { ListQuery, OwnedToken, Page } from '@relay-hub/contract';
import { role, tokenScope, userStatus } from '@relay-hub/contract';
import { type Kysely, sql, type Transaction } from 'kysely';
import { locked, startsWith } from '#db/dialect-differences.ts';
import type { Db, Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { holdPair, outranks, type RankedAccount } from '#features/account/access/user-rank.ts';
import { pageOfRows } from '#http/list.ts';
import type { Viewer } from '#http/session/session.ts';
import { isPlaygroundToken } from '#live/playground-token.ts';
import { withUse } from './token-limits.ts';
import { effectiveStatus, endsWith, ensureRoom, isKeyEnd, tokenColumnsShown } from './token-queries.ts';

/** Accounts whose tokens the viewer may manage: their own, and those of lower roles. */
const managedUsers = (db: Db, viewer: Viewer) =>
  db
    .selectFrom('users')
    .where('users.deleted_time', 'is', null)
    .where((eb) =>
      eb.or([
        eb('users.id', '=', viewer.id),
        ...(viewer.role >= role.root ? [sql<boolean>`true`] : [eb('users.role', '<', viewer.role)]),
      ]),
    )
    .select('users.id');

const managedTokens = (db: Db, viewer: Viewer) =>
  db
    .selectFrom('tokens')
    .where('user_id', 'in', managedUsers(db, viewer))
    .where('deleted_time', 'is', null)
    .where((eb) => eb.not(isPlaygroundToken(eb)));

const ofOwner = (column: 'username' | 'group') =>
  sql<string>`(select users.${sql.ref(column)} from users where users.id = tokens.user_id)`;

const columns = [...tokenColumnsShown, ofOwner('username').as('username'), ofOwner('group').as('user_group')] as const;

export async function listAllTokens(
  db: Db,
  viewer: Viewer,
  query: ListQuery & { keyword: string; status: number; tag: string; user_id: number },
  now: number,
): Promise<Page<OwnedToken>> {
  const { keyword, tag, status, user_id: owner } = query;
  let tokens = managedTokens(db, viewer).select(columns);
  if (keyword !== '') {
    const owners = db.selectFrom('users').where(startsWith('username', keyword)).select('id');
    tokens = tokens.where((eb) =>
      eb.or([
        startsWith('name', keyword),
        startsWith('tag', keyword),
        eb('user_id', 'in', owners),
        ...(isKeyEnd(keyword) ? [endsWith(keyword)] : []),
      ]),
    );
  }
  if (tag !== '') tokens = tokens.where('tag', '=', tag);
  if (owner !== 0) tokens = tokens.where('user_id', '=', owner);
  if (status !== 0) tokens = tokens.where(effectiveStatus(now), '=', status);
  const page = await pageOfRows(tokens, query);
  return { ...page, data: await withUse(db, page.data, now) };
}

/** Throws `record.not_found` for tokens of accounts that the viewer may not manage. */
export async function getManagedToken(db: Db, viewer: Viewer, id: number, now: number): Promise<OwnedToken> {
  const row = await managedTokens(db, viewer).where('id', '=', id).select(columns).executeTakeFirst();
  ensure(row, 'record.not_found', { field: 'id' });
  const [token] = await withUse(db, [row], now);
  return token!; // one for each row
}

/**
 * Locks the account that a token is made for or given to. Throws `record.not_found`, `user.rank`,
 * `token.owner_disabled`, `token.too_many`.
 */
export async function holdNewOwner(
  trx: Transaction<Tables>,
  viewer: Viewer,
  id: number,
): Promise<{ id: number; group: string; actor: RankedAccount }> {
  const known = trx.selectFrom('users').where('id', '=', id).where('deleted_time', 'is', null);
  ensure(await known.select('id').executeTakeFirst(), 'record.not_found', { field: 'user_id' });
  const { actor, target } = await holdPair(trx, viewer.id, { id });
  ensure(target.id === actor.id || outranks(actor, target), 'user.rank', { field: 'user_id' });
  ensure(target.status === userStatus.enabled, 'token.owner_disabled', { field: 'user_id' });
  await ensureRoom(trx, id);
  const { group } = await known.select('group').executeTakeFirstOrThrow();
  return { id, group, actor };
}

interface Transfer {
  id: number;
  /** The owner until now. */
  from: number;
  to: number;
  /** Whether accounts of a user group may use the group that the token names. */
  mayUse: (tokenGroup: string, userGroup: string) => boolean;
}

/**
 * Gives a token to another account. Open calls are charged to the old owner, later ones to the new one; what nodes have
 * leased of the token's quota goes with the token. A group that the new owner may not use is dropped. Throws
 * `record.not_found`, `user.rank`, `token.same_owner`, `token.owner_disabled`, `token.too_many`.
 */
export async function transferToken(db: Kysely<Tables>, viewer: Viewer, { id, from, to, mayUse }: Transfer) {
  ensure(from !== to, 'token.same_owner', { field: 'user_id' });
  await db.transaction().execute(async (trx) => {
    // Accounts before tokens, like the batches of calls.
    const owner = await holdNewOwner(trx, viewer, to);
    const held = managedTokens(trx, { ...viewer, role: owner.actor.role })
      .where('id', '=', id)
      .where('user_id', '=', from)
      .where('member_id', 'is', null)
      .select(['group', 'id']);
    const token = await locked(held, trx).executeTakeFirst();
    ensure(token, 'record.not_found', { field: 'id' });
    await trx
      .updateTable('tokens')
      .set({ user_id: to, ...(!mayUse(token.group, owner.group) && { group: '' }) })
      .where('id', '=', id)
      .execute();
    // The leases of the token follow it, so that batches of all nodes still find and return them.
    await trx
      .updateTable('leases')
      .set({ user_id: to })
      .where('user_id', '=', from)
      .where('token_id', '=', id)
      .execute();
    for (const table of ['limit_counters', 'limit_leases'] as const)
      await trx.updateTable(table).set({ user_id: to }).where('scope', '=', tokenScope(id)).execute();
  });
}
