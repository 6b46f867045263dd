import type { creditMove } from '@relay-hub/contract';
import { type MemberSource, role, type TeamRole, tokenStatus, userStatus } from '@relay-hub/contract';
import type { Kysely, Transaction } from 'kysely';
import type * as z from 'zod/mini';
import { locked } from '#db/dialect-differences.ts';
import { given } from '#db/given.ts';
import type { Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { closeAccount } from '#features/account/user/close-account.ts';
import { newShape } from '#features/account/user/look-alike.ts';
import { ensureName, orTaken, shapeOf } from '#features/account/user/save-user.ts';
import { holdAccounts, post } from '#quota/ledger.ts';
import { leaders, type Membership, membershipOf } from './team-queries.ts';

const MOST_TEAMS = 50;
const MOST_MEMBERS = 1000;
export const mostOfTeams = { limit: MOST_TEAMS, most: MOST_MEMBERS };

/** Creates a team and makes a person its owner; returns its id. Throws `record.exists`, `user.name_alike`, `team.too_many`. */
export async function createTeam(db: Kysely<Tables>, owner: number, name: string, now: number): Promise<number> {
  const made = db.transaction().execute(async (trx) => {
    const account = {
      kind: 'team',
      username: name,
      username_shape: await newShape(trx, name),
      display_name: name,
      password_hash: '',
      role: role.guest,
      status: userStatus.enabled,
      group: 'default',
      created_time: now,
    } as const;
    const { id } = await trx.insertInto('users').values(account).returning('id').executeTakeFirstOrThrow();
    await addMember(trx, { team: id, user: owner, role: 'owner', invitedBy: owner, now });
    return id;
  });
  return orTaken(made, { username: name });
}

interface NewMember {
  team: number;
  user: number;
  role: TeamRole;
  costCentre?: string;
  invitedBy: number;
  source?: MemberSource;
  now: number;
}

/**
 * Adds a member. Keys from an earlier membership stay off until they are enabled. Throws `team.member`,
 * `team.too_many`.
 */
export async function addMember(
  trx: Transaction<Tables>,
  { team, user, role: as, costCentre = '', invitedBy, source = '', now }: NewMember,
): Promise<void> {
  // Serialises the counts below.
  await holdAccounts(trx, [team, user]);
  const count = async (column: 'team_id' | 'user_id', id: number) =>
    (
      await trx
        .selectFrom('team_members')
        .where(column, '=', id)
        .select(({ fn }) => fn.countAll<number>().as('number'))
        .executeTakeFirstOrThrow()
    ).number;
  const hasRoom = (await count('user_id', user)) < MOST_TEAMS && (await count('team_id', team)) < MOST_MEMBERS;
  ensure(hasRoom, 'team.too_many', mostOfTeams);
  const added = await trx
    .insertInto('team_members')
    .values({
      team_id: team,
      user_id: user,
      role: as,
      cost_centre: costCentre,
      invited_by: invitedBy,
      created_time: now,
      source,
    })
    .onConflict((conflict) => conflict.columns(['team_id', 'user_id']).doNothing())
    .returning('user_id')
    .executeTakeFirst();
  ensure(added, 'team.member', { name: (await nameOf(trx, user)) ?? '' });
  await trx
    .updateTable('tokens')
    .set({ status: tokenStatus.disabled })
    .where('user_id', '=', team)
    .where('member_id', '=', user)
    .where('deleted_time', 'is', null)
    .execute();
}

async function nameOf(trx: Transaction<Tables>, id: number): Promise<string | undefined> {
  return (await trx.selectFrom('users').where('id', '=', id).select('username').executeTakeFirst())?.username;
}

/** Throws `record.exists`, `user.name`, `user.name_alike`. */
export async function renameTeam(db: Kysely<Tables>, id: number, name: string): Promise<void> {
  const renamed = db.transaction().execute(async (trx) => {
    const before = { id, username: (await nameOf(trx, id)) ?? '' };
    ensureName(name, before.username);
    const shape = await shapeOf(trx, name, before);
    await trx
      .updateTable('users')
      .set({ username: name, display_name: name, ...shape })
      .where('id', '=', id)
      .execute();
  });
  await orTaken(renamed, { username: name });
}

/** Deletes a team; its ledger and log stay. Throws `team.not_empty`. */
export async function removeTeam({ db, book, now }: Pick<Deps, 'db' | 'book' | 'now'>, id: number): Promise<void> {
  // Idle leases come back first.
  await book.recall(id);
  await db.transaction().execute(async (trx) => {
    const row = trx.selectFrom('users').where('id', '=', id).where('deleted_time', 'is', null);
    const team = await locked(row.select(['username', 'quota', 'held']), trx).executeTakeFirst();
    ensure(team, 'record.not_found', { field: 'id' });
    ensure(team.quota === 0 && team.held === 0, 'team.not_empty', { credits: team.quota + team.held });
    await closeAccount(trx, { id, username: team.username }, now());
    for (const table of ['team_members', 'team_invites'] as const)
      await trx.deleteFrom(table).where('team_id', '=', id).execute();
  });
}

type HeldMember = Membership & { source: MemberSource };

/** Locks the rows of a team's members that a change concerns. */
async function holdMembers(trx: Transaction<Tables>, team: number, users: readonly number[]): Promise<HeldMember[]> {
  const rows = trx
    .selectFrom('team_members')
    .where('team_id', '=', team)
    .where('user_id', 'in', [...users]);
  const held = await locked(rows.select(['user_id', 'role', 'source']).orderBy('user_id'), trx).execute();
  return held.map(({ user_id, role: as, source }) => ({ team, user: user_id, role: as, source }));
}

/** The member who acts and the one it concerns. Throws `record.not_found`, `team.role`. */
async function holdActorAndMember(
  trx: Transaction<Tables>,
  team: number,
  { actor, user }: { actor: number; user: number },
): Promise<{ by: HeldMember; member: HeldMember }> {
  const held = await holdMembers(trx, team, [actor, user]);
  const by = held.find((each) => each.user === actor);
  ensure(by, 'record.not_found', { field: 'id' });
  ensure(actor === user || leaders.includes(by.role), 'team.role');
  const member = held.find((each) => each.user === user);
  ensure(member, 'record.not_found', { field: 'user' });
  return { by, member };
}

/** Administrators of a team change members and finance viewers only. */
const mayChange = (by: Membership, ...roles: (TeamRole | undefined)[]): boolean =>
  by.role === 'owner' || (by.role === 'admin' && !roles.includes('admin') && !roles.includes('owner'));

/** Throws `record.not_found`, `team.role`, `team.owner`, and `team.managed` for a role that groups decide. */
export async function updateMember(
  db: Kysely<Tables>,
  team: number,
  who: { actor: number; user: number },
  change: { role?: TeamRole | undefined; cost_centre?: string | undefined },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { by, member } = await holdActorAndMember(trx, team, who);
    ensure(leaders.includes(by.role), 'team.role');
    if (change.role !== undefined && change.role !== member.role) {
      ensure(member.role !== 'owner', 'team.owner', { field: 'role' });
      ensure(mayChange(by, member.role, change.role), 'team.role', { field: 'role' });
      ensure(member.source === '', 'team.managed', { field: 'role' });
    }
    const columns = given(change);
    if (Object.keys(columns).length === 0) return;
    const own = trx.updateTable('team_members').set(columns).where('team_id', '=', team);
    await own.where('user_id', '=', member.user).execute();
  });
}

/** Removes a member, or lets them leave. Throws `record.not_found`, `team.role`, `team.owner`. */
export async function removeMember(
  db: Kysely<Tables>,
  team: number,
  who: { actor: number; user: number },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { by, member } = await holdActorAndMember(trx, team, who);
    ensure(member.role !== 'owner', 'team.owner', { field: 'user' });
    ensure(by.user === member.user || mayChange(by, member.role), 'team.role');
    const own = trx.deleteFrom('team_members').where('team_id', '=', team);
    await own.where('user_id', '=', member.user).execute();
  });
}

/** Offers a team to a member; 0 takes the offer back. Throws `record.not_found`, `team.role`, `team.owner`. */
export async function offerTeam(
  db: Kysely<Tables>,
  team: number,
  { actor, user }: { actor: number; user: number },
  now: number,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { by, member } = await holdActorAndMember(trx, team, { actor, user: user === 0 ? actor : user });
    ensure(by.role === 'owner', 'team.role');
    ensure(user === 0 || member.role !== 'owner', 'team.owner', { field: 'user_id' });
    const members = trx.updateTable('team_members').where('team_id', '=', team);
    await members.set({ offered_time: 0 }).execute();
    if (user !== 0) await members.set({ offered_time: now }).where('user_id', '=', user).execute();
  });
}

/** Makes a member to whom the team was offered its owner. Throws `team.not_offered`. */
export async function acceptTeam(db: Kysely<Tables>, { team, user }: Membership): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await holdAccounts(trx, [team]);
    const members = trx.updateTable('team_members').where('team_id', '=', team);
    const offered = await trx
      .selectFrom('team_members')
      .where('team_id', '=', team)
      .where('user_id', '=', user)
      .where('offered_time', '>', 0)
      .select('user_id')
      .executeTakeFirst();
    ensure(offered, 'team.not_offered');
    // In this order, because there is one owner at any time.
    await members.set({ role: 'admin' }).where('role', '=', 'owner').execute();
    await members.set({ role: 'owner', offered_time: 0 }).where('user_id', '=', user).execute();
  });
}

/**
 * Gives a key of the team to another member. The key goes to a new token with the same settings, so that usage until now
 * stays with the old holder. Returns the new token's id. Throws `record.not_found`, `team.role`.
 */
export async function handOverToken(
  { db, book, now }: Pick<Deps, 'db' | 'book' | 'now'>,
  team: number,
  { token: id, user }: { token: number; user: number },
): Promise<number> {
  await book.recall(team, id);
  return db.transaction().execute(async (trx) => {
    // Accounts before tokens, like the batches of calls.
    await holdAccounts(trx, [team]);
    const rows = trx.selectFrom('tokens').where('id', '=', id).where('user_id', '=', team);
    const before = await locked(rows.where('deleted_time', 'is', null).selectAll(), trx).executeTakeFirst();
    ensure(before, 'record.not_found', { field: 'token' });
    const [holder] = await holdMembers(trx, team, [user]);
    ensure(holder, 'record.not_found', { field: 'user_id' });
    ensure(holder.role !== 'billing', 'team.role', { field: 'user_id' });
    if (before.member_id === user) return id;
    await trx
      .updateTable('tokens')
      .set({ deleted_time: now(), key_hash: `handed over:${id}`, key_cipher: '' })
      .where('id', '=', id)
      .execute();
    const { id: _id, held: _held, limits, metadata, ...kept } = before;
    const json = (value: unknown) => (value === null ? null : JSON.stringify(value));
    const made = await trx
      .insertInto('tokens')
      .values({
        ...kept,
        limits: json(limits),
        metadata: json(metadata),
        member_id: user,
        status: tokenStatus.enabled,
        used_quota: 0,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await trx.updateTable('token_old_keys').set({ token_id: made.id }).where('token_id', '=', id).execute();
    return made.id;
  });
}

/**
 * Moves credits between a member's own account and the team as two entries, once per reference. Throws `team.role`,
 * `quota.below_zero`, `quota.uncountable`, `reference.used`, and `redemption.administrator` for credits that an
 * administrator of the site would give themselves.
 */
export async function moveCredits(
  deps: Pick<Deps, 'db' | 'book' | 'now'>,
  { team, user, role: as }: Membership,
  move: z.output<typeof creditMove>,
): Promise<{ team_quota: number; own_quota: number }> {
  const { db, book, now } = deps;
  ensure(move.credits > 0 || as === 'owner', 'team.role', { field: 'credits' });
  const payer = move.credits > 0 ? user : team;
  const attempt = () =>
    db.transaction().execute(async (trx) => {
      await holdAccounts(trx, [team, user]);
      await membershipOf(trx, team, user, move.credits > 0 ? undefined : ['owner']);
      await postBoth(trx, { team, user }, move, now());
      const rows = await trx
        .selectFrom('users')
        .where('id', 'in', [team, user])
        .select(['id', 'quota', 'held'])
        .execute();
      const left = (id: number) => rows.flatMap((row) => (row.id === id ? [row.quota + row.held] : []))[0] ?? 0;
      return { team_quota: left(team), own_quota: left(user) };
    });
  try {
    return await attempt();
  } catch (error) {
    // Credits that are leased but not reserved become available once nodes return them.
    const isShort = error instanceof AppError && error.code === 'quota.below_zero';
    if (isShort && (await book.recall(payer))) return attempt();
    throw error;
  }
}

async function postBoth(
  trx: Transaction<Tables>,
  { team, user }: { team: number; user: number },
  { credits, reference }: z.output<typeof creditMove>,
  now: number,
): Promise<void> {
  const people = await trx
    .selectFrom('users')
    .where('id', 'in', [team, user])
    .select(['id', 'username', 'role'])
    .execute();
  const [ours, own] = [team, user].map((id) => people.find((each) => each.id === id));
  const rank = own?.role ?? role.guest;
  ensure(credits > 0 || rank < role.admin || rank >= role.root, 'redemption.administrator', { field: 'credits' });
  const made = { kind: 'transfer', actor_id: user, created_time: now } as const;
  const known = await trx
    .selectFrom('ledger')
    .where('reference', '=', `transfer:${team}:${user}:${reference}:team`)
    .select('credits')
    .executeTakeFirst();
  if (known) {
    ensure(known.credits === credits, 'reference.used', { field: 'reference' });
    return;
  }
  const entries = [
    { user_id: team, credits, remark: own?.username ?? '', reference: `transfer:${team}:${user}:${reference}:team` },
    {
      user_id: user,
      credits: -credits,
      remark: ours?.username ?? '',
      reference: `transfer:${team}:${user}:${reference}:own`,
    },
  ];
  for (const entry of entries.toSorted((a, b) => a.credits - b.credits)) await post(trx, { ...made, ...entry });
}
