import {
  accountScope,
  type AccountLimits,
  costCentreScope,
  type LimitSubject,
  memberScope,
  type ParsedOf,
  type ReplyOf,
  subjectOf,
  type teamApi,
} from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import type { Db, Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { limitsWithUse, setLimits, withUses } from '#features/limit/subject-limits.ts';
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
    .select(['scope', 'limits'])
    .execute();
  const isShown = (scope: string): boolean => {
    const subject = subjectOf(scope);
    return subject === 'account' || role !== 'member' || (subject === 'member' && Number(nameOf(scope)) === user);
  };
  const found = await withUses(
    db,
    rules.filter(({ scope }) => isShown(scope)),
    now,
  );
  const of = (wanted: LimitSubject) => found.filter(({ scope }) => subjectOf(scope) === wanted);
  const [account] = of('account');
  return {
    account: { limits: account?.limits ?? null, use: account?.use ?? [] },
    members: of('member').map(({ scope, ...limits }) => ({ user_id: Number(nameOf(scope)), ...limits })),
    cost_centres: of('cost_centre').map(({ scope, ...limits }) => ({ name: nameOf(scope), ...limits })),
  };
}

/** The part of the scope of a member or cost centre after the account. */
const nameOf = (scope: string): string => scope.slice(scope.indexOf(':') + 1);

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
