import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { listQuery, numberFilter, pageOf, textFilter } from '../list.ts';
import { newUser, userEdit, userManage } from './user-input.ts';
import { boundIds, disabledTokens, sessionUser } from './user.ts';
import { credits, idParam, seconds } from '../values.ts';

/** An account as administrators see it; no password or token of it is ever told. */
export const user = z.extend(sessionUser, {
  ...boundIds,
  email: z.string(),
  group: z.string(),
  /** The balance; what open calls have reserved is still in it. */
  quota: credits,
  used_quota: credits,
  request_count: z.int(),
  created_time: seconds,
  /** 0 = never, like the next. */
  last_login_time: seconds,
  /** When one of its tokens was last used. */
  last_call_time: seconds,
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

const withId = z.object({ id: idParam });

export const userAdminSchemas = {
  list: {
    audience: 'admin',
    summary: 'Accounts. `keyword` is an id, or the start of a name, an e-mail address or a group',
    query: z.extend(listQuery(userColumns), {
      keyword: textFilter,
      role: numberFilter,
      status: numberFilter,
      group: textFilter,
    }),
    /** `total_quota`: the balances of all that fit, on whatever page. */
    reply: z.extend(pageOf(user), { total_quota: credits }),
  },
  get: {
    audience: 'admin',
    summary: 'One account of a lower role; the super administrator may see all, and everybody the own one',
    params: withId,
    reply: user,
  },
  create: {
    audience: 'admin',
    summary: 'Create an account of a plain user, with its group and first credits',
    body: newUser,
    reply: user,
  },
  update: {
    audience: 'admin',
    summary:
      'Change the account of a lower role; role and status by `/api/user/manage`, another one is refused here. A new password ends its sessions and its access token, and switches its API keys off',
    body: userEdit,
    reply: z.extend(user, disabledTokens),
  },
  manage: {
    audience: 'admin',
    summary: 'Enable, disable, promote, demote or delete the account of a lower role; in force at once',
    body: userManage,
    reply: user,
  },
  remove: {
    audience: 'admin',
    summary: 'Delete the account of a lower role. Its name is free again; its tokens stop, its log and ledger stay',
    params: withId,
  },
  endSessions: {
    audience: 'admin',
    summary: 'Sign the account of a lower role out everywhere; tells how many sessions there were',
    params: withId,
    reply: z.object({ ended: z.int() }),
  },
} as const satisfies SchemasByEndpoint;
