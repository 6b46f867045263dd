import type { AuditEntry, ListQuery, Page, Team, TeamInvite, TeamMember, TeamRole } from '@relay-hub/contract';
import { userStatus } from '@relay-hub/contract';
import { type ExpressionBuilder, sql } from 'kysely';
import type { Db, Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { bareHint } from '#features/token/token-queries.ts';
import { pageOfRows } from '#http/list.ts';

/** Membership of a person in a present team. */
export interface Membership {
  team: number;
  user: number;
  role: TeamRole;
}

export const leaders: readonly TeamRole[] = ['owner', 'admin'];

/** Throws `record.not_found` for strangers, whether the team exists or not, and `team.role` for other roles. */
export async function membershipOf(
  db: Db,
  team: number,
  user: number,
  roles?: readonly TeamRole[],
): Promise<Membership> {
  const found = await db
    .selectFrom('team_members')
    .innerJoin('users', 'users.id', 'team_members.team_id')
    .where('team_id', '=', team)
    .where('user_id', '=', user)
    .where('users.deleted_time', 'is', null)
    .select('team_members.role')
    .executeTakeFirst();
  ensure(found, 'record.not_found', { field: 'id' });
  ensure(roles === undefined || roles.includes(found.role), 'team.role');
  return { team, user, role: found.role };
}

export const memberCount = sql<number>`(select count(*) from team_members counted where counted.team_id = users.id)`;

export const teamColumns = [
  'users.id',
  'users.username as name',
  'users.status',
  'users.group',
  'users.created_time',
  'users.used_quota',
] as const;

export const teamBalance = (eb: ExpressionBuilder<Tables, 'users'>) =>
  eb('users.quota', '+', eb.ref('users.held')).as('quota');

const teamsOf = (db: Db, user: number) =>
  db
    .selectFrom('users')
    .innerJoin('team_members as own', 'own.team_id', 'users.id')
    .where('own.user_id', '=', user)
    .where('users.deleted_time', 'is', null)
    .select(teamColumns)
    .select(teamBalance)
    .select(memberCount.as('members'))
    .select(['own.role', 'own.cost_centre', 'own.offered_time']);

/** The teams of a person, by name. */
export async function listTeams(db: Db, user: number): Promise<Team[]> {
  const rows = await teamsOf(db, user).orderBy('users.username').execute();
  return rows.map(({ offered_time: offered, ...row }) => ({ ...row, offered: offered > 0 }));
}

/** Throws `record.not_found` for strangers. */
export async function getTeam(db: Db, team: number, user: number): Promise<Team> {
  const row = await teamsOf(db, user).where('users.id', '=', team).executeTakeFirst();
  ensure(row, 'record.not_found', { field: 'id' });
  const { offered_time: offered, ...rest } = row;
  return { ...rest, offered: offered > 0 };
}

const membersOf = (db: Db, team: number) =>
  db
    .selectFrom('team_members as own')
    .innerJoin('users', 'users.id', 'own.user_id')
    .leftJoin(
      db
        .selectFrom('tokens')
        .where('tokens.user_id', '=', team)
        .where('tokens.deleted_time', 'is', null)
        .groupBy('member_id')
        .select(({ fn }) => ['member_id', fn.countAll<number>().as('count'), fn.sum<number>('used_quota').as('used')])
        .as('held'),
      'held.member_id',
      'own.user_id',
    )
    .where('own.team_id', '=', team)
    .select(['own.user_id', 'users.username', 'users.display_name', 'users.status', 'own.role', 'own.cost_centre'])
    .select(['own.created_time', 'own.offered_time', 'own.source', 'held.count', 'held.used']);

/** All members, or one. The owner comes first. */
export async function listMembers(db: Db, team: number, only?: number): Promise<TeamMember[]> {
  const rows = await membersOf(db, team)
    .$if(only !== undefined, (members) => members.where('own.user_id', '=', only ?? 0))
    .orderBy(sql`case own.role when 'owner' then 0 when 'admin' then 1 when 'billing' then 2 else 3 end`)
    .orderBy('users.username')
    .execute();
  return rows.map(({ status, offered_time: offered, count, used, ...row }) => ({
    ...row,
    enabled: status === userStatus.enabled,
    offered: offered > 0,
    tokens: count ?? 0,
    used_quota: used ?? 0,
  }));
}

/** Keys whose holders have left the team. */
export const listOrphans = (db: Db, team: number) =>
  db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.member_id')
    .where('tokens.user_id', '=', team)
    .where('tokens.deleted_time', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('team_members')
            .whereRef('team_members.team_id', '=', 'tokens.user_id')
            .whereRef('team_members.user_id', '=', 'tokens.member_id')
            .select('team_members.user_id'),
        ),
      ),
    )
    .orderBy('tokens.id')
    .select(['tokens.id', 'tokens.name', bareHint.as('key'), 'users.username'])
    .execute();

/** The open invitations that have not expired. */
export const listInvites = (db: Db, team: number, now: number): Promise<TeamInvite[]> =>
  db
    .selectFrom('team_invites')
    .where('team_id', '=', team)
    .where('expires_time', '>', now)
    .orderBy('id')
    .select(['id', 'email', 'role', 'cost_centre', 'created_time', 'expires_time'])
    .execute();

const auditColumns = [
  'id',
  'created_time',
  'actor_name',
  'method',
  'path',
  'kind',
  'object_name',
  'status',
  'code',
] as const;

/** Changes to a team and what belongs to its account. */
export const listTeamAudit = (
  db: Db,
  team: number,
  query: ListQuery,
): Promise<Page<Pick<AuditEntry, (typeof auditColumns)[number]>>> =>
  pageOfRows(db.selectFrom('audit').where('account_id', '=', team).select(auditColumns), query);
