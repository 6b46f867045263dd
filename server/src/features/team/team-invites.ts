import { INVITE_DAYS, type newInvite, type TeamInvite, type TeamRole } from '@relay-hub/contract';
import type { Kysely, Transaction } from 'kysely';
import type * as z from 'zod/mini';
import type { Db, Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { fingerprint, randomText } from '#secrets.ts';
import { addMember, mostOfTeams } from './team-changes.ts';

const MOST_OPEN = 200;

interface Inviting {
  team: number;
  /** The member who invites. */
  by: number;
  now: number;
}

/** Stores an invitation; the text of its link is not stored. Throws `team.too_many`. */
export async function createInvite(
  db: Db,
  { team, by, now }: Inviting,
  { email, role, cost_centre }: z.output<typeof newInvite>,
): Promise<{ invite: TeamInvite; token: string }> {
  await db.deleteFrom('team_invites').where('team_id', '=', team).where('expires_time', '<=', now).execute();
  const { open } = await db
    .selectFrom('team_invites')
    .where('team_id', '=', team)
    .select(({ fn }) => fn.countAll<number>().as('open'))
    .executeTakeFirstOrThrow();
  ensure(open < MOST_OPEN, 'team.too_many', mostOfTeams);
  const token = randomText(40);
  const invite = await db
    .insertInto('team_invites')
    .values({
      team_id: team,
      token_hash: fingerprint(token),
      email: email.toLowerCase(),
      role,
      cost_centre,
      invited_by: by,
      created_time: now,
      expires_time: now + INVITE_DAYS * 86_400,
    })
    .returning(['id', 'email', 'role', 'cost_centre', 'created_time', 'expires_time'])
    .executeTakeFirstOrThrow();
  return { invite, token };
}

export interface OpenInvite {
  id: number;
  team_id: number;
  team: string;
  email: string;
  role: TeamRole;
  cost_centre: string;
  invited_by: number;
  expires_time: number;
}

/** Throws `team.invite` for one that is unknown, used or expired. */
export async function findInvite(db: Db, token: string, now: number): Promise<OpenInvite> {
  const invite = await db
    .selectFrom('team_invites')
    .innerJoin('users', 'users.id', 'team_invites.team_id')
    .where('token_hash', '=', fingerprint(token))
    .where('expires_time', '>', now)
    .where('users.deleted_time', 'is', null)
    .select(['team_invites.id', 'team_id', 'users.username as team', 'team_invites.email', 'team_invites.role'])
    .select(['cost_centre', 'invited_by', 'expires_time'])
    .executeTakeFirst();
  ensure(invite, 'team.invite', { field: 'token' });
  return invite;
}

/**
 * Uses an invitation up and, if it is accepted, makes the person a member; returns the team. Throws `team.invite`,
 * `team.invite_address`, `team.member`, `team.too_many`.
 */
export async function answerInvite(
  db: Kysely<Tables>,
  { token, accept }: { token: string; accept: boolean },
  user: number,
  now: number,
): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const invite = await findInvite(trx, token, now);
    ensure(invite.email === '' || invite.email === (await addressOf(trx, user)), 'team.invite_address');
    const used = await trx.deleteFrom('team_invites').where('id', '=', invite.id).returning('id').executeTakeFirst();
    ensure(used, 'team.invite', { field: 'token' });
    const { team_id: team, role, cost_centre: costCentre, invited_by: invitedBy } = invite;
    if (accept) await addMember(trx, { team, user, role, costCentre, invitedBy, now });
    return team;
  });
}

/** The account's address, which was verified when it was stored, in lower case. */
async function addressOf(trx: Transaction<Tables>, user: number): Promise<string> {
  const { email } = await trx.selectFrom('users').where('id', '=', user).select('email').executeTakeFirstOrThrow();
  return email.toLowerCase();
}
