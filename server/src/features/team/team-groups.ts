import { type MemberSource, role, type TeamOfGroup, type TeamRole } from '@relay-hub/contract';
import type { FastifyRequest } from 'fastify';
import type { Transaction } from 'kysely';
import type { Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { AppError } from '#errors.ts';
import { clientIp } from '#http/client-ip.ts';
import { holdAccounts } from '#quota/ledger.ts';
import { addMember } from './team-changes.ts';

export interface GroupsOfPerson {
  user: { id: number; name: string };
  /** Who the audit log names; the person for a sign-in. */
  by: { id: number; name: string };
  /** Values of the claim, or names and external ids of SCIM groups. */
  groups: readonly string[];
  source: Exclude<MemberSource, ''>;
  /** Origin in the audit log. */
  request: FastifyRequest;
}

/** A membership that came, went or changed; null: none. */
interface ChangedMembership {
  team: number;
  before: TeamRole | null;
  after: TeamRole | null;
}

/**
 * Gives a person the memberships of their groups by the setting `TeamsOfGroups`, and takes those that the same source
 * gave earlier. Memberships given by people and owners stay. Keys of a lost membership stop at once, on all
 * nodes.
 */
export async function joinTeams(deps: Deps, person: GroupsOfPerson): Promise<void> {
  const changed = await deps.db.transaction().execute((trx) => joinTeamsIn(trx, person, deps));
  if (changed) await deps.live.usersChanged(person.user.id);
}

/** As `joinTeams`, within a transaction; resolves with whether `live.usersChanged` is due after its commit. */
export async function joinTeamsIn(trx: Transaction<Tables>, person: GroupsOfPerson, deps: Deps): Promise<boolean> {
  const changes = await applyGroups(trx, person, deps.live.settings.TeamsOfGroups ?? [], deps);
  for (const change of changes) await noteMembership(trx, person, change, deps);
  return changes.length > 0;
}

async function applyGroups(
  trx: Transaction<Tables>,
  { user: { id: user }, groups, source }: GroupsOfPerson,
  rows: readonly TeamOfGroup[],
  { now, log }: Pick<Deps, 'now' | 'log'>,
): Promise<ChangedMembership[]> {
  const held = new Set(groups);
  const wanted = new Map<number, TeamRole>();
  for (const { group, team, role: as } of rows) if (held.has(group) && !wanted.has(team)) wanted.set(team, as);
  const own = trx.selectFrom('team_members').where('user_id', '=', user).select(['team_id', 'role', 'source']);
  if (wanted.size === 0 && !(await own.where('source', '=', source).executeTakeFirst())) return [];
  // All at once, in the order of call batches.
  await holdAccounts(trx, [user, ...wanted.keys()]);
  const present = await own.execute();
  const changes: ChangedMembership[] = [];
  for (const { team_id: team, role: before, source: from } of present) {
    const after = wanted.get(team);
    wanted.delete(team);
    // SCIM reports changes at once, a sign-in only when it happens.
    const decides = from === source || (source === 'scim' && from === 'oidc' && after !== undefined);
    if (!decides || before === 'owner' || (before === after && from === source)) continue;
    if (after === undefined)
      await trx.deleteFrom('team_members').where('team_id', '=', team).where('user_id', '=', user).execute();
    else
      await trx
        .updateTable('team_members')
        .set({ role: after, source })
        .where('team_id', '=', team)
        .where('user_id', '=', user)
        .execute();
    if (before !== after) changes.push({ team, before, after: after ?? null });
  }
  for (const team of await existing(trx, [...wanted.keys()])) {
    const as = wanted.get(team) ?? 'member';
    try {
      await addMember(trx, { team, user, role: as, source, invitedBy: 0, now: now() });
      changes.push({ team, before: null, after: as });
    } catch (error) {
      // A full team must not keep its people from signing in.
      if (!(error instanceof AppError && error.code === 'team.too_many')) throw error;
      log.warn({ user, team }, 'no room for a membership by groups');
    }
  }
  return changes;
}

const existing = async (trx: Transaction<Tables>, teams: readonly number[]): Promise<number[]> => {
  if (teams.length === 0) return [];
  const rows = trx.selectFrom('users').where('id', 'in', teams).where('kind', '=', 'team');
  const found = await rows.where('deleted_time', 'is', null).select('id').orderBy('id').execute();
  return found.map(({ id }) => id);
};

/** For the audit log of the site and of the team. */
async function noteMembership(
  trx: Transaction<Tables>,
  { user, by, request, source, groups }: GroupsOfPerson,
  { team, before, after }: ChangedMembership,
  { now, config }: Pick<Deps, 'now' | 'config'>,
): Promise<void> {
  const named = await trx.selectFrom('users').where('id', '=', team).select('username').executeTakeFirst();
  const shown = (as: TeamRole | null) => JSON.stringify(as && { member: user.name, role: as, source });
  await trx
    .insertInto('audit')
    .values({
      created_time: now(),
      actor_id: by.id,
      actor_name: by.name,
      actor_role: role.guest,
      ip: clientIp(request.raw, config.trustedProxies),
      user_agent: (request.headers['user-agent'] ?? '').slice(0, 300),
      via: 'provider',
      method: request.method,
      path: request.routeOptions.url ?? '',
      kind: 'team',
      object_id: String(team),
      object_name: named?.username ?? '',
      status: 200,
      code: '',
      account_id: team,
      input: JSON.stringify({ groups: groups.slice(0, 50) }),
      before: shown(before),
      after: shown(after),
    })
    .execute();
}
