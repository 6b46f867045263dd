import {
  accountScope,
  type AccountLimits,
  costCentreScope,
  memberScope,
  type ParsedOf,
  type ReplyOf,
  subjectOf,
  type teamApi,
} from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import type { Db, Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { limitsWithUse, setLimits } from '#features/limit/subject-limits.ts';
import type { Membership } from './team-queries.ts';

/** Limits of a team, its members and cost centres; a member reads their own. */
export async function teamLimits(
  db: Db,
  { team, user, role }: Membership,
  now: number,
): Promise<ReplyOf<typeof teamApi.limits>> {
  const rules = await db
    .selectFrom('limit_rules')
    .where('user_id', '=', team)
    .orderBy('scope')
    .select('scope')
    .execute();
  const read = (scope: string): Promise<AccountLimits> => limitsWithUse(db, { accountId: team, scope }, now);
  const members = [];
  const cost_centres = [];
  for (const { scope } of rules) {
    const name = scope.slice(scope.indexOf(':') + 1);
    const subject = subjectOf(scope);
    if (subject === 'member' && (role !== 'member' || Number(name) === user))
      members.push({ user_id: Number(name), ...(await read(scope)) });
    if (subject === 'cost_centre' && role !== 'member') cost_centres.push({ name, ...(await read(scope)) });
  }
  return { account: await read(accountScope(team)), members, cost_centres };
}

type TeamLimitInput = ParsedOf<typeof teamApi.setLimits>['body'];

/** Sets limits of the team, of a member or of a cost centre. Throws `record.not_found` for a stranger. */
export async function setTeamLimits(
  db: Kysely<Tables>,
  team: number,
  { user_id: user, cost_centre: name, limits }: TeamLimitInput,
  now: number,
): Promise<AccountLimits> {
  const scope =
    user !== undefined
      ? memberScope(team, user)
      : name !== undefined
        ? costCentreScope(team, name)
        : accountScope(team);
  await db.transaction().execute(async (trx) => {
    const members = trx
      .selectFrom('team_members')
      .where('team_id', '=', team)
      .where('user_id', '=', user ?? 0);
    ensure(user === undefined || (await members.select('user_id').executeTakeFirst()), 'record.not_found', {
      field: 'user_id',
    });
    await setLimits(trx, { accountId: team, scope }, limits, now);
  });
  return limitsWithUse(db, { accountId: team, scope }, now);
}
