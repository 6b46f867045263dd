import { isAdmin, teamAdminApi, teamApi } from '@relay-hub/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { given } from '#db/given.ts';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { linkBase } from '#features/account/register/link-base.ts';
import { throttleMail } from '#features/account/register/mail-throttle.ts';
import { holdGroup } from '#features/account/user/save-user.ts';
import { clientIp } from '#http/client-ip.ts';
import { csv } from '#http/csv.ts';
import { serve, serveFile } from '#http/serve.ts';
import { sendMail } from '#mail/send-mail.ts';
import * as managed from './managed-teams.ts';
import * as changes from './team-changes.ts';
import { answerInvite, createInvite, findInvite } from './team-invites.ts';
import { setTeamLimits, teamLimits } from './team-limits.ts';
import * as teams from './team-queries.ts';
import { leaders, membershipOf } from './team-queries.ts';

export function teamRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, live, now } = deps;

  serve(app, deps, teamApi.list, (_, { viewer }) => teams.listTeams(db, viewer.id));
  serve(app, deps, teamApi.create, async ({ body }, { viewer }) => {
    ensure(isAdmin(viewer.role) || live.settings.TeamsByUsers, 'team.closed');
    return teams.getTeam(db, await changes.createTeam(db, viewer.id, body.name, now()), viewer.id);
  });
  serve(app, deps, teamApi.get, ({ params: { id } }, { viewer }) => teams.getTeam(db, id, viewer.id));
  serve(app, deps, teamApi.update, async ({ params: { id }, body }, { viewer }) => {
    await membershipOf(db, id, viewer.id, leaders);
    await changes.renameTeam(db, id, body.name);
    await live.usersChanged(id);
    return teams.getTeam(db, id, viewer.id);
  });
  serve(app, deps, teamApi.remove, async ({ params: { id } }, { viewer }) => {
    await membershipOf(db, id, viewer.id, ['owner']);
    await changes.removeTeam(deps, id);
    await live.usersChanged(id);
    await deps.replyCache.forget(id);
    await deps.contentLog.forget(id);
  });

  serve(app, deps, teamApi.members, async ({ params: { id } }, { viewer }) => {
    const { role } = await membershipOf(db, id, viewer.id);
    if (role === 'member') return { members: await teams.listMembers(db, id, viewer.id), orphans: [] };
    return { members: await teams.listMembers(db, id), orphans: await teams.listOrphans(db, id) };
  });
  serve(app, deps, teamApi.updateMember, async ({ params: { id, user }, body }, { viewer }) => {
    await changes.updateMember(db, id, { actor: viewer.id, user }, body);
    const [member] = await teams.listMembers(db, id, user);
    ensure(member, 'record.not_found', { field: 'user' });
    return member;
  });
  serve(app, deps, teamApi.removeMember, async ({ params: { id, user } }, { viewer }) => {
    await changes.removeMember(db, id, { actor: viewer.id, user });
    await live.usersChanged(id);
  });
  serve(app, deps, teamApi.offer, ({ params: { id }, body }, { viewer }) =>
    changes.offerTeam(db, id, { actor: viewer.id, user: body.user_id }, now()),
  );
  serve(app, deps, teamApi.accept, async ({ params: { id } }, { viewer }) => {
    await changes.acceptTeam(db, await membershipOf(db, id, viewer.id));
    return teams.getTeam(db, id, viewer.id);
  });
  serve(app, deps, teamApi.handOver, async ({ params, body }, { viewer }) => {
    await membershipOf(db, params.id, viewer.id, leaders);
    const id = await changes.handOverToken(deps, params.id, { token: params.token, user: body.user_id });
    await live.usersChanged(params.id);
    return { id };
  });
  serve(app, deps, teamApi.move, async ({ params: { id }, body }, { viewer }) => {
    const moved = await changes.moveCredits(deps, await membershipOf(db, id, viewer.id), body);
    return { credits: body.credits, ...moved };
  });
  serve(app, deps, teamApi.limits, async ({ params: { id } }, { viewer }) => {
    await deps.book.caughtUp();
    return teamLimits(db, await membershipOf(db, id, viewer.id), now());
  });
  serve(app, deps, teamApi.setLimits, async ({ params: { id }, body }, { viewer }) => {
    await membershipOf(db, id, viewer.id, leaders);
    const limits = await setTeamLimits(db, id, body, now());
    await live.usersChanged(id);
    return limits;
  });
  serve(app, deps, teamApi.audit, async ({ params: { id }, query }, { viewer }) => {
    await membershipOf(db, id, viewer.id, leaders);
    return teams.listTeamAudit(db, id, query);
  });
  inviteRoutes(app, deps);
  administrationRoutes(app, deps);
}

function inviteRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, live, now, config } = deps;

  serve(app, deps, teamApi.invites, async ({ params: { id } }, { viewer }) => {
    await membershipOf(db, id, viewer.id, leaders);
    return teams.listInvites(db, id, now());
  });
  const mailInvite = async (request: FastifyRequest, to: string, team: string, token: string): Promise<void> => {
    await throttleMail(deps, to, clientIp(request.raw, config.trustedProxies));
    const link = `${linkBase(deps, request)}/panel/team?invite=${token}`;
    await sendMail(deps, to, [], { kind: 'teamInvite', link, values: { team } });
  };
  serve(app, deps, teamApi.invite, async ({ params: { id }, body }, { viewer, request }) => {
    const { role } = await membershipOf(db, id, viewer.id, leaders);
    ensure(role === 'owner' || body.role !== 'admin', 'team.role', { field: 'role' });
    const { name } = await teams.getTeam(db, id, viewer.id);
    const made = await createInvite(db, { team: id, by: viewer.id, now: now() }, body);
    if (body.email === '') return made;
    try {
      await mailInvite(request, made.invite.email, name, made.token);
    } catch (error) {
      await db.deleteFrom('team_invites').where('id', '=', made.invite.id).execute();
      throw error;
    }
    return { invite: made.invite, token: '' };
  });
  serve(app, deps, teamApi.removeInvite, async ({ params: { id, invite } }, { viewer }) => {
    await membershipOf(db, id, viewer.id, leaders);
    const invites = db.deleteFrom('team_invites').where('team_id', '=', id).where('id', '=', invite);
    ensure(await invites.returning('id').executeTakeFirst(), 'record.not_found', { field: 'invite' });
  });
  serve(app, deps, teamApi.readInvite, async ({ body }) => {
    const { team, role, email, expires_time } = await findInvite(db, body.token, now());
    return { team, role, email, expires_time };
  });
  serve(app, deps, teamApi.answerInvite, async ({ body }, { viewer }) => {
    const team = await answerInvite(db, body, viewer.id, now());
    if (!body.accept) return null;
    await live.usersChanged(team);
    return teams.getTeam(db, team, viewer.id);
  });
}

/** For administrators of the site. */
function administrationRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, live, now } = deps;

  serve(app, deps, teamAdminApi.list, ({ query }) => managed.listManagedTeams(deps, query));
  serveFile(app, deps, teamAdminApi.download, async ({ query }, { language }) => ({
    name: 'teams.csv',
    pieces: csv(managed.teamCsv(language, query.time_zone), managed.teamsForCsv(deps, query, query.time_zone || 'UTC')),
  }));
  serve(app, deps, teamAdminApi.get, ({ params: { id }, query }) =>
    managed.getManagedTeamDetail(deps, id, query.time_zone),
  );
  serve(app, deps, teamAdminApi.update, async ({ params: { id }, body }) => {
    await db.transaction().execute(async (trx) => {
      const present = trx.selectFrom('users').where('id', '=', id).where('kind', '=', 'team');
      const team = await present.where('deleted_time', 'is', null).select('id').executeTakeFirst();
      ensure(team, 'record.not_found', { field: 'id' });
      if (body.group !== undefined) await holdGroup(trx, body.group);
      const columns = given(body);
      if (Object.keys(columns).length > 0) await trx.updateTable('users').set(columns).where('id', '=', id).execute();
    });
    await live.usersChanged(id);
    return managed.getManagedTeam(deps, id);
  });
  serve(app, deps, teamAdminApi.setOwner, async ({ params: { id }, body }, { viewer }) => {
    await managed.setOwner(db, viewer, id, { ...body, now: now() });
    await live.usersChanged(id);
    return managed.getManagedTeam(deps, id);
  });
}
