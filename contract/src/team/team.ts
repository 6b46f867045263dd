import * as z from 'zod/mini';
import { timeZoneField } from '../analytics/analytics-input.ts';
import { auditEntry } from '../audit/audit.ts';
import { csvFile, downloadOptions } from '../download.ts';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { holderUsage } from '../ledger/statement.ts';
import { accountLimits, subjectCap, subjectLimits } from '../limit/limit.ts';
import { choice, listQuery, pageOf, textFilter } from '../list.ts';
import { knownName, username } from '../user/user-input.ts';
import { credits, id, idParam, LARGEST_MOVE, seconds, text } from '../values.ts';
import { givenTeamRoles, memberSources, teamRoles } from './codes.ts';

const role = z.enum(teamRoles);
const givenRole = z.enum(givenTeamRoles);
const costCentre = text(50);

/** A team as one of its members sees it. */
export const team = z.object({
  id,
  /** Unique among teams and users, and in the log the name of the payer. */
  name: z.string(),
  status: z.int(),
  /** The user group, which decides prices and limits of all calls. */
  group: z.string(),
  created_time: seconds,
  /** Credits, with those reserved by running calls. */
  quota: credits,
  used_quota: credits,
  members: z.int(),
  /** Of the caller. */
  role,
  cost_centre: z.string(),
  /** The owner offers the team to the caller. */
  offered: z.boolean(),
});
export type Team = z.infer<typeof team>;

export const teamMember = z.object({
  user_id: id,
  username: z.string(),
  display_name: z.string(),
  /** Whether the account can sign in. */
  enabled: z.boolean(),
  role,
  cost_centre: z.string(),
  created_time: seconds,
  /** Whether the team was offered to them. */
  offered: z.boolean(),
  /** Empty: given by a person. Otherwise groups of the identity provider decide the role. */
  source: z.enum(memberSources),
  tokens: z.int(),
  /** Of the present tokens. */
  used_quota: credits,
});
export type TeamMember = z.infer<typeof teamMember>;

/** A key whose holder has left, until another member gets it or it is deleted. */
export const orphanedToken = z.object({
  id,
  name: z.string(),
  key: z.string(),
  username: z.string(),
});

export const teamInvite = z.object({
  id,
  /** Empty: any account that has the link. */
  email: z.string(),
  role,
  cost_centre: z.string(),
  created_time: seconds,
  expires_time: seconds,
});
export type TeamInvite = z.infer<typeof teamInvite>;

export const newTeam = z.object({ name: username });

/** With an address the invitation is mailed and bound to it; without, the link is in the reply. */
export const newInvite = z.object({
  email: z._default(
    text(50).check(z.refine((value) => value === '' || z.email().safeParse(value).success, { error: 'user.email' })),
    '',
  ),
  role: z._default(givenRole, 'member'),
  cost_centre: z._default(costCentre, ''),
});

const teamLimits = z.object({
  account: accountLimits,
  members: z.array(z.extend(accountLimits, { user_id: id })),
  cost_centres: z.array(z.extend(accountLimits, { name: z.string() })),
});

const inviteToken = z.string().check(z.trim(), z.regex(/^[\w-]{20,100}$/));

/** The same movement again, with the same reference, has no effect. */
export const creditMove = z.object({
  /** Positive: from the caller's own account into the team; negative: back, which only the owner may. */
  credits: z.int().check(
    z.gte(-LARGEST_MOVE),
    z.lte(LARGEST_MOVE),
    z.refine((value) => value !== 0, { error: 'quota.zero' }),
  ),
  reference: text(64, 8),
});

const withId = z.object({ id: idParam });
const withUser = z.object({ id: idParam, user: idParam });

export const teamSchemas = {
  list: { audience: 'user', summary: 'List the teams that you are a member of, with your role', reply: z.array(team) },
  create: {
    audience: 'user',
    summary:
      'Create a team, whose owner you become. Administrators may, and others if the setting `TeamsByUsers` allows it',
    body: newTeam,
    reply: team,
  },
  get: { audience: 'user', summary: 'Get one of your teams', params: withId, reply: team },
  update: {
    audience: 'user',
    summary: 'Rename a team; its owner and administrators may',
    params: withId,
    body: z.object({ name: knownName }),
    reply: team,
  },
  remove: {
    audience: 'user',
    summary: 'Delete your team. Its balance must be 0 and no call may be running; its keys stop at once',
    params: withId,
  },
  members: {
    audience: 'user',
    summary: 'List the members of a team, and the keys whose holders have left; members see themselves only',
    params: withId,
    reply: z.object({ members: z.array(teamMember), orphans: z.array(orphanedToken) }),
  },
  updateMember: {
    audience: 'user',
    summary: 'Change role or cost centre of a member; administrators do not change the owner or each other’s role',
    params: withUser,
    body: z.object({ role: z.optional(givenRole), cost_centre: z.optional(costCentre) }),
    reply: teamMember,
  },
  removeMember: {
    audience: 'user',
    summary: 'Remove a member, or leave the team; their keys stop at once and the history stays',
    params: withUser,
  },
  offer: {
    audience: 'user',
    summary: 'Offer your team to a member, who becomes its owner by accepting; `user_id` 0 takes the offer back',
    params: withId,
    body: z.object({ user_id: z.int().check(z.gte(0)) }),
  },
  accept: {
    audience: 'user',
    summary: 'Accept a team that is offered to you; the owner until now becomes an administrator of it',
    params: withId,
    reply: team,
  },
  handOver: {
    audience: 'user',
    summary:
      'Hand a key of the team over to another member. It stays the same key; earlier usage stays with the old holder',
    params: z.object({ id: idParam, token: idParam }),
    body: z.object({ user_id: id }),
    reply: z.object({ id }),
  },
  move: {
    audience: 'user',
    summary: 'Move credits between your own account and a team; only the owner may take credits out',
    params: withId,
    body: creditMove,
    reply: z.object({ credits, team_quota: credits, own_quota: credits }),
  },
  limits: {
    audience: 'user',
    summary: 'Limits of a team, its members and cost centres, with their use; members see the team’s and their own',
    params: withId,
    reply: teamLimits,
  },
  setLimits: {
    audience: 'user',
    summary:
      'Set the limits of a member or a cost centre, or of the whole team without either; its owner and administrators may',
    params: withId,
    body: z.object({
      user_id: z.optional(id),
      cost_centre: z.optional(text(50, 1)),
      limits: subjectLimits,
    }),
    reply: accountLimits,
  },
  audit: {
    audience: 'user',
    summary: 'List the changes to a team and its keys, newest first; its owner and administrators may',
    params: withId,
    query: listQuery(['id']),
    reply: pageOf(
      z.pick(auditEntry, {
        id: true,
        created_time: true,
        actor_name: true,
        method: true,
        path: true,
        kind: true,
        object_name: true,
        status: true,
        code: true,
      }),
    ),
  },
  invites: {
    audience: 'user',
    summary: 'List the open invitations of a team',
    params: withId,
    reply: z.array(teamInvite),
  },
  invite: {
    audience: 'user',
    summary:
      'Invite somebody by mail, or make a link for one person. It is valid for 7 days and once. The reply is the same whether the address has an account',
    params: withId,
    body: newInvite,
    reply: z.object({ invite: teamInvite, token: z.string() }),
  },
  removeInvite: {
    audience: 'user',
    summary: 'Take an invitation back',
    params: z.object({ id: idParam, invite: idParam }),
  },
  readInvite: {
    audience: 'user',
    summary: 'Get the team and role of an invitation by the text in its link',
    body: z.object({ token: inviteToken }),
    reply: z.object({ team: z.string(), role, email: z.string(), expires_time: seconds }),
  },
  answerInvite: {
    audience: 'user',
    summary: 'Accept or decline an invitation',
    body: z.object({ token: inviteToken, accept: z.boolean() }),
    reply: z.nullable(team),
  },
} as const satisfies SchemasByEndpoint;

/** A team as administrators of the site see it. */
export const managedTeam = z.extend(z.omit(team, { role: true, cost_centre: true, offered: true }), {
  owner_id: z.int(),
  owner: z.string(),
  /** Whether the owner's account can sign in; a leaver's cannot. */
  owner_enabled: z.boolean(),
  tokens: z.int(),
  /** Charged for calls in the present month of `time_zone`. */
  month_quota: credits,
  /** Limits of the whole team. */
  caps: z.array(subjectCap),
});
export type ManagedTeam = z.infer<typeof managedTeam>;

const managedMember = z.extend(teamMember, {
  /** SCIM connection that manages the account; empty: none. */
  connection: z.string(),
});
export type ManagedMember = z.infer<typeof managedMember>;

export const managedTeamDetail = z.extend(managedTeam, {
  list: z.array(managedMember),
  orphans: z.array(orphanedToken),
  /** Of the present month, with members who have left. */
  usage: holderUsage,
  limits: teamLimits,
  /** Groups of the identity provider that give memberships, from the setting `TeamsOfGroups`. */
  groups: z.array(z.object({ group: z.string(), role })),
});
export type ManagedTeamDetail = z.infer<typeof managedTeamDetail>;

const managedFilters = {
  /** Start of the name of the team or of its owner. */
  keyword: textFilter,
  status: choice(2),
  group: textFilter,
  /** 2: only teams whose owner's account is disabled. */
  owner_status: choice(2),
};

export const teamAdminSchemas = {
  list: {
    audience: 'admin',
    summary: 'List all teams with owner, balance, usage of the present month and limits',
    query: z.extend(listQuery(['id', 'username', 'quota', 'used_quota', 'created_time']), {
      ...managedFilters,
      time_zone: timeZoneField,
    }),
    reply: pageOf(managedTeam),
  },
  download: {
    audience: 'admin',
    summary: 'Export the teams that match as CSV',
    query: z.object({ ...managedFilters, ...downloadOptions }),
    file: csvFile,
  },
  get: {
    audience: 'admin',
    summary: 'Get a team with its members, their usage by member and cost centre, limits and groups',
    params: withId,
    query: z.object({ time_zone: timeZoneField }),
    reply: managedTeamDetail,
  },
  update: {
    audience: 'admin',
    summary: 'Change user group or status of a team; a disabled team makes no calls',
    params: withId,
    body: z.object({ group: z.optional(text(50, 1)), status: z.optional(z.literal([1, 2])) }),
    reply: managedTeam,
  },
  setOwner: {
    audience: 'admin',
    summary:
      'Make a person the owner of a team, for example after its owner has left. The former owner becomes an administrator of it, or is removed',
    params: withId,
    body: z.object({
      user_id: id,
      /** Whether the former owner is removed; their keys then stop at once. */
      remove: z._default(z.boolean(), false),
    }),
    reply: managedTeam,
  },
} as const satisfies SchemasByEndpoint;
