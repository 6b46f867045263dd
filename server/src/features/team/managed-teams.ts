import {
  accountScope,
  type Language,
  type ManagedTeam,
  type ManagedTeamDetail,
  type Page,
  type ParsedOf,
  role,
  type teamAdminApi,
  userStatus,
} from '@relay-hub/contract';
import { type Kysely, sql } from 'kysely';
import { startsWith } from '#db/dialect-differences.ts';
import type { Db, Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { outranks } from '#features/account/access/user-rank.ts';
import { clockOf } from '#features/analytics/analytics-period.ts';
import { holderUsageOf, monthOf } from '#features/ledger/statement.ts';
import { type CsvColumn, timeWriter } from '#http/csv.ts';
import { pageOfRows } from '#http/list.ts';
import type { Viewer } from '#http/session/session.ts';
import { serverTexts } from '#i18n/texts.ts';
import { holdAccounts } from '#quota/ledger.ts';
import { usageByGroup } from '#roll-ups/usage-by-group.ts';
import { addMember } from './team-changes.ts';
import { teamLimits } from './team-limits.ts';
import { listMembers, listOrphans, memberCount, teamBalance, teamColumns } from './team-queries.ts';

type Filters = Pick<ParsedOf<typeof teamAdminApi.list>['query'], 'keyword' | 'status' | 'group' | 'owner_status'>;
type TeamRow = Omit<ManagedTeam, 'month_quota' | 'caps'>;

const tokenCount = sql<number>`(
  select count(*) from tokens where tokens.user_id = users.id and tokens.deleted_time is null)`;

/** Teams with their owners. */
const managed = (db: Db) =>
  db
    .selectFrom('users')
    .leftJoin('team_members as owning', (join) =>
      join.onRef('owning.team_id', '=', 'users.id').on('owning.role', '=', 'owner'),
    )
    .leftJoin('users as owner', 'owner.id', 'owning.user_id')
    .where('users.kind', '=', 'team')
    .where('users.deleted_time', 'is', null)
    .select(teamColumns)
    .select(teamBalance)
    .select([memberCount.as('members'), tokenCount.as('tokens')])
    .select(({ fn, lit }) => [
      fn.coalesce('owner.id', lit(0)).as('owner_id'),
      fn.coalesce('owner.username', sql.lit('')).as('owner'),
      fn.coalesce('owner.status', lit(0)).as('owner_state'),
    ]);

function matching(db: Db, { keyword, status, group, owner_status: ownerStatus }: Filters) {
  let found = managed(db);
  if (keyword !== '') {
    const texts = ['users.username', 'owner.username'].map((column) => startsWith(column, keyword));
    found = found.where((eb) => eb.or(texts));
  }
  if (status !== 0) found = found.where('users.status', '=', status);
  if (group !== '') found = found.where('users.group', '=', group);
  if (ownerStatus === 1) found = found.where('owner.status', '=', userStatus.enabled);
  if (ownerStatus === 2) found = found.where('owner.status', '<>', userStatus.enabled);
  return found;
}

const withOwner = <R extends { owner_state: number }>({ owner_state: state, ...row }: R) => ({
  ...row,
  owner_enabled: state === userStatus.enabled,
});

type ReadDeps = Pick<Deps, 'db' | 'book' | 'pendingSums' | 'now'>;

/** The present month of a time zone; an empty one is the server's. */
function presentMonth(zone: string, now: number): { from: number; until: number } {
  const clock = clockOf(zone);
  return monthOf(clock.dateOf(clock.dayOf(now)).slice(0, 7), clock, now);
}

/** Adds usage of the present month and the limits of the teams. */
async function completed({ db, now }: ReadDeps, rows: readonly TeamRow[], zone: string): Promise<ManagedTeam[]> {
  const { from, until } = presentMonth(zone, now());
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const scopes = ids.map(accountScope);
  const [sums, rules] = await Promise.all([
    usageByGroup(db, { by: 'user', users: ids, from, until }),
    db.selectFrom('limit_rules').where('scope', 'in', scopes).select(['scope', 'limits']).execute(),
  ]);
  const used = new Map<number, number>();
  for (const { key, quota } of sums) used.set(Number(key), (used.get(Number(key)) ?? 0) + quota);
  const limits = new Map(rules.map((rule) => [rule.scope, rule.limits]));
  return rows.map((row) => ({
    ...row,
    month_quota: used.get(row.id) ?? 0,
    caps: limits.get(accountScope(row.id))?.caps ?? [],
  }));
}

/** Includes calls that have just finished. */
async function caughtUp({ book, pendingSums }: ReadDeps): Promise<void> {
  await book.caughtUp();
  await pendingSums.caughtUp();
}

/** Teams as administrators of the site see them. */
export async function listManagedTeams(
  deps: ReadDeps,
  { time_zone: zone, ...query }: ParsedOf<typeof teamAdminApi.list>['query'],
): Promise<Page<ManagedTeam>> {
  await caughtUp(deps);
  const column = (name: string) => sql`users.${sql.ref(name)}`;
  const { data, ...page } = await pageOfRows(matching(deps.db, query), query, {
    id: column('id'),
    username: column('username'),
    quota: sql`users.quota + users.held`,
    used_quota: column('used_quota'),
    created_time: column('created_time'),
  });
  return { ...page, data: await completed(deps, data.map(withOwner), zone) };
}

async function readTeam(db: Db, team: number): Promise<TeamRow> {
  const row = await managed(db).where('users.id', '=', team).executeTakeFirst();
  ensure(row, 'record.not_found', { field: 'id' });
  return withOwner(row);
}

/** Throws `record.not_found`. */
export async function getManagedTeam(deps: ReadDeps, team: number, zone = ''): Promise<ManagedTeam> {
  const [found] = await completed(deps, [await readTeam(deps.db, team)], zone);
  ensure(found, 'record.not_found', { field: 'id' });
  return found;
}

/** A team with its parts. Throws `record.not_found`. */
export async function getManagedTeamDetail(
  deps: ReadDeps & Pick<Deps, 'live'>,
  team: number,
  zone: string,
): Promise<ManagedTeamDetail> {
  await caughtUp(deps);
  const { db, live, now } = deps;
  const row = await getManagedTeam(deps, team, zone);
  const [members, orphans, usage, limits, managers] = await Promise.all([
    listMembers(db, team),
    listOrphans(db, team),
    holderUsageOf(db, team, presentMonth(zone, now())),
    teamLimits(db, { team, user: 0, role: 'owner' }, now()),
    connectionsOf(db, team),
  ]);
  const groups = (live.settings.TeamsOfGroups ?? []).filter((each) => each.team === team);
  return {
    ...row,
    list: members.map((member) => ({ ...member, connection: managers.get(member.user_id) ?? '' })),
    orphans,
    usage,
    limits,
    groups: groups.map(({ group, role: as }) => ({ group, role: as })),
  };
}

/** Names of the SCIM connections that manage the accounts of members. */
async function connectionsOf(db: Db, team: number): Promise<Map<number, string>> {
  const rows = await db
    .selectFrom('team_members')
    .innerJoin('scim_users', 'scim_users.user_id', 'team_members.user_id')
    .innerJoin('scim_connections', 'scim_connections.id', 'scim_users.connection_id')
    .where('team_members.team_id', '=', team)
    .select(['team_members.user_id', 'scim_connections.name'])
    .execute();
  return new Map(rows.map(({ user_id: user, name }) => [user, name]));
}

/**
 * Makes a person the owner of a team. The owner until now becomes an administrator of it, or is removed. Throws
 * `record.not_found`, `team.owner_disabled`, `team.too_many`, `user.rank` for an owner of the same or a higher role, and
 * `user.self` for administrators who would take a team over.
 */
export async function setOwner(
  db: Kysely<Tables>,
  actor: Pick<Viewer, 'id' | 'role'>,
  team: number,
  { user_id: user, remove, now }: { user_id: number; remove: boolean; now: number },
): Promise<void> {
  ensure(user !== actor.id || actor.role >= role.root, 'user.self', { field: 'user_id' });
  await db.transaction().execute(async (trx) => {
    await holdAccounts(trx, [team, user]);
    const { owner_id: former } = await readTeam(trx, team);
    const people = trx.selectFrom('users').where('kind', '=', 'person').where('deleted_time', 'is', null);
    const found = await people.where('id', 'in', [user, former]).select(['id', 'username', 'status', 'role']).execute();
    const next = found.find(({ id }) => id === user);
    ensure(next, 'record.not_found', { field: 'user_id' });
    ensure(next.status === userStatus.enabled, 'team.owner_disabled', { field: 'user_id', name: next.username });
    if (user === former) return;
    const before = found.find(({ id }) => id === former);
    ensure(!before || former === actor.id || outranks(actor, before), 'user.rank');
    const members = trx.updateTable('team_members').where('team_id', '=', team);
    await members.set({ offered_time: 0 }).execute();
    // In this order, because a team has one owner at any time.
    const owner = members.where('role', '=', 'owner');
    if (remove) await trx.deleteFrom('team_members').where('team_id', '=', team).where('role', '=', 'owner').execute();
    else await owner.set({ role: 'admin' }).execute();
    const { numUpdatedRows } = await members
      .where('user_id', '=', user)
      .set({ role: 'owner' })
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) await addMember(trx, { team, user, role: 'owner', invitedBy: actor.id, now });
  });
}

const ROWS_A_READ = 500;

/** Matching teams, newest first, read on demand. */
export async function* teamsForCsv(deps: ReadDeps, filters: Filters, zone: string): AsyncGenerator<ManagedTeam, void> {
  await caughtUp(deps);
  for (let below = Number.MAX_SAFE_INTEGER; ;) {
    const some = matching(deps.db, filters).where('users.id', '<', below);
    const rows = await some.orderBy('users.id', 'desc').limit(ROWS_A_READ).execute();
    yield* await completed(deps, rows.map(withOwner), zone);
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_A_READ) return;
    below = last.id;
  }
}

const CREDITS_PER_USD = 500_000;

export function teamCsv(language: Language, zone: string): CsvColumn<ManagedTeam>[] {
  const { team: text, order } = serverTexts(language).csv;
  const time = timeWriter(zone);
  return [
    { heading: 'ID', cell: ({ id }) => id },
    { heading: text.team, cell: ({ name }) => name },
    {
      heading: order.headings.status,
      cell: ({ status }) => text[status === userStatus.enabled ? 'enabled' : 'disabled'],
    },
    { heading: text.owner, cell: ({ owner }) => owner },
    { heading: text.ownerStatus, cell: (row) => text[row.owner_enabled ? 'enabled' : 'disabled'] },
    { heading: text.group, cell: ({ group }) => group },
    { heading: text.members, cell: ({ members }) => members },
    { heading: text.tokens, cell: ({ tokens }) => tokens },
    { heading: text.balance, cell: ({ quota }) => quota },
    { heading: text.balanceUsd, cell: ({ quota }) => quota / CREDITS_PER_USD },
    { heading: text.month, cell: ({ month_quota: used }) => used },
    { heading: text.used, cell: ({ used_quota: used }) => used },
    {
      heading: text.limits,
      cell: ({ caps }) => caps.map((cap) => `${cap.measure}/${cap.period}: ${cap.amount}`).join(', '),
    },
    { heading: `${order.headings.time} (${zone || 'UTC'})`, cell: ({ created_time: at }) => time(at) },
  ];
}
