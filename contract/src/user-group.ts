import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { listQuery, pageOf, textFilter } from './list.ts';
import { id, idParam, ratio, text } from './values.ts';

export const userGroup = z.object({
  id,
  /** What users, tokens and channels refer to; cannot be changed. */
  symbol: z.string(),
  name: z.string(),
  /** Multiplies every price for this group. */
  ratio,
  /** Requests per minute and user. */
  api_rate: z.int(),
  /** Everyone may see it and choose it for a token. */
  public: z.boolean(),
  enable: z.boolean(),
});
export type UserGroup = z.infer<typeof userGroup>;

const apiRate = z.int().check(z.gte(0), z.lte(10_000_000));

export const newUserGroup = z.object({
  symbol: text(50, 1).check(z.regex(/^[A-Za-z0-9_-]+$/, { error: 'group.symbol' })),
  name: text(50, 1),
  ratio: z._default(ratio, 1),
  api_rate: z._default(apiRate, 600),
  public: z._default(z.boolean(), false),
  enable: z._default(z.boolean(), true),
});

export const userGroupEdit = z.object({ id, name: text(50, 1), ratio, api_rate: apiRate, public: z.boolean() });

const withId = z.object({ id: idParam });

export const userGroupApi = {
  list: endpoint({
    method: 'GET',
    path: '/api/user_group/',
    audience: 'admin',
    summary: 'User groups',
    query: z.extend(listQuery(['id', 'name', 'symbol', 'ratio', 'api_rate', 'public', 'enable']), {
      Name: textFilter,
      enable: z.optional(z.enum(['true', 'false', ''])),
    }),
    reply: pageOf(userGroup),
  }),
  get: endpoint({
    method: 'GET',
    path: '/api/user_group/:id',
    audience: 'admin',
    summary: 'One user group',
    params: withId,
    reply: userGroup,
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/user_group/',
    audience: 'admin',
    summary: 'Create a user group',
    body: newUserGroup,
    reply: userGroup,
  }),
  update: endpoint({
    method: 'PUT',
    path: '/api/user_group/',
    audience: 'admin',
    summary: 'Change a user group',
    body: userGroupEdit,
    reply: userGroup,
  }),
  toggle: endpoint({
    method: 'PUT',
    path: '/api/user_group/enable/:id',
    audience: 'admin',
    summary: 'Switch a user group on or off',
    params: withId,
    reply: userGroup,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/user_group/:id',
    audience: 'admin',
    summary: 'Delete a user group that nothing uses',
    params: withId,
  }),
  symbols: endpoint({
    method: 'GET',
    path: '/api/group/',
    audience: 'admin',
    summary: 'Symbols of the enabled groups',
    reply: z.array(z.string()),
  }),
  map: endpoint({
    method: 'GET',
    path: '/api/user_group_map',
    audience: 'visitor',
    summary: 'Enabled groups that are public, and the caller’s own, by symbol',
    reply: z.record(z.string(), userGroup),
  }),
};
