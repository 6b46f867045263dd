import { accountHeader, role, type TeamRole, userStatus } from '@relay-hub/contract';
import type { BaseDeps } from '#base-deps.ts';
import { ensure } from '#errors.ts';
import type { Viewer } from './session.ts';

/**
 * The person, or them acting for the account of a team: `chosen` is the value of `accountHeader`, and `roles` may act.
 * Membership is read on each request. Throws `account.none` for strangers, whether the team exists or not, and
 * `account.role`.
 */
export async function actingFor(
  person: Viewer,
  chosen: unknown,
  roles: readonly TeamRole[],
  { db }: Pick<BaseDeps, 'db'>,
): Promise<Viewer> {
  if (chosen === undefined || chosen === '' || chosen === '0' || chosen === String(person.id)) return person;
  const id = typeof chosen === 'string' && /^[1-9]\d{0,14}$/.test(chosen) ? Number(chosen) : 0;
  const team = await db
    .selectFrom('team_members as own')
    .innerJoin('users as teams', 'teams.id', 'own.team_id')
    .where('own.team_id', '=', id)
    .where('own.user_id', '=', person.id)
    .where('teams.deleted_time', 'is', null)
    .select(['teams.username', 'teams.group', 'teams.status', 'own.role', 'own.cost_centre'])
    .executeTakeFirst();
  ensure(team, 'account.none', { field: accountHeader });
  ensure(team.status === userStatus.enabled && roles.includes(team.role), 'account.role', { field: accountHeader });
  const member = { id: person.id, username: person.username, rank: person.role, role: team.role };
  return {
    ...person,
    id,
    username: team.username,
    group: team.group,
    // The rights of an administrator of the site do not come along.
    role: role.user,
    member: { ...member, costCentre: team.cost_centre },
  };
}

/** Of a viewer who only reaches their own tokens and rows within the account: their id. */
export const ownRowsOf = ({ member }: Viewer): number | undefined =>
  member?.role === 'member' ? member.id : undefined;
