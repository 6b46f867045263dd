import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { choice, listQuery, numberFilter, pageOf, textFilter } from '../list.ts';
import { newUser, userEdit, userManage, userRestore } from './user-input.ts';
import { boundIds, closingFacts, disabledTokens, invitationFields, sessionUser } from './user.ts';
import { credits, idParam, seconds } from '../values.ts';

/** An account as seen by administrators, without password and tokens. */
export const user = z.extend(sessionUser, {
  ...boundIds,
  ...invitationFields,
  email: z.string(),
  /** In billing systems; empty: its id. */
  customer_id: z.string(),
  group: z.string(),
  /** The balance, including credits reserved by open calls. */
  quota: credits,
  used_quota: credits,
  request_count: z.int(),
  created_time: seconds,
  /** 0 = never, like the next. */
  last_login_time: seconds,
  /** When one of its tokens was last used. */
  last_call_time: seconds,
  /** Where it registered: IPv4 address or IPv6 /64 network; empty if not known. */
  register_ip: z.string(),
  /** 0 = not deleted. */
  deleted_time: seconds,
});
export type User = z.infer<typeof user>;

export const userColumns = [
  'id',
  'username',
  'role',
  'status',
  'created_time',
  'group',
  'quota',
  'used_quota',
  'request_count',
  'last_login_time',
] as const;

/** An account that invited others. Deleted invited accounts count. */
export const inviter = z.extend(sessionUser, {
  invited: z.int(),
  /** Invited accounts that it was paid for. */
  rewarded: z.int(),
  /** Credits that it was paid for them. */
  earned: credits,
  /** Invited accounts that registered from the address of the inviter or of another of them. */
  same_address: z.int(),
  /** Most invited accounts that registered on one day, in UTC. */
  same_day: z.int(),
  /** When the last one registered. */
  last_time: seconds,
  suspicious: z.array(z.enum(['same_address', 'same_day'])),
});
export type Inviter = z.infer<typeof inviter>;

export const inviterColumns = [
  'id',
  'username',
  'invited',
  'rewarded',
  'earned',
  'same_address',
  'same_day',
  'last_time',
] as const;

const withId = z.object({ id: idParam });

export const userAdminSchemas = {
  list: {
    audience: 'admin',
    summary: 'List accounts. `keyword` matches an id, or the start of a name, e-mail address or group',
    query: z.extend(listQuery(userColumns), {
      keyword: textFilter,
      role: numberFilter,
      status: numberFilter,
      group: textFilter,
      /** Id of the account that invited them. */
      inviter: numberFilter,
      /** 1: only deleted accounts, by the names that they had. */
      deleted: choice(1),
    }),
    /** `total_quota`: sum of the balances on all pages. */
    reply: z.extend(pageOf(user), { total_quota: credits }),
  },
  inviters: {
    audience: 'admin',
    summary:
      'List accounts that invited others, with signs of people who invite themselves. `keyword` matches an id or the start of a name',
    query: z.extend(listQuery(inviterColumns), {
      keyword: textFilter,
      /** 1: only suspicious ones. */
      suspicious: choice(1),
    }),
    reply: pageOf(inviter),
  },
  get: {
    audience: 'admin',
    summary: 'Get an account of a lower role or your own; the super administrator can get all',
    params: withId,
    reply: user,
  },
  create: {
    audience: 'admin',
    summary: 'Create a user account with a group and initial credits',
    body: newUser,
    reply: user,
  },
  update: {
    audience: 'admin',
    summary:
      'Update an account of a lower role; a different role or status is refused, see `/api/user/manage`. A new password ends its sessions and access token, and disables its tokens',
    body: userEdit,
    reply: z.extend(user, disabledTokens),
  },
  manage: {
    audience: 'admin',
    summary: 'Enable, disable, promote, demote or delete an account of a lower role, with immediate effect',
    body: userManage,
    reply: user,
  },
  remove: {
    audience: 'admin',
    summary:
      'Delete an account of a lower role. Its name and address become free and its tokens stop working; balance, orders, log and ledger are kept',
    params: withId,
  },
  closing: {
    audience: 'admin',
    summary: 'What an account has that deleting it does not settle',
    params: withId,
    reply: closingFacts,
  },
  restore: {
    audience: 'admin',
    summary:
      'Restore a deleted account of a lower role with its tokens; connected sign-in providers are not restored. `username`: instead of its former name; an empty `email`: without its address',
    params: withId,
    body: userRestore,
    reply: user,
  },
  endSessions: {
    audience: 'admin',
    summary: 'End all sessions of an account of a lower role; returns their number',
    params: withId,
    reply: z.object({ ended: z.int() }),
  },
} as const satisfies SchemasByEndpoint;
