import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { channelPreference } from '../channel/channel-preference.ts';
import { listQuery, pageOf, textFilter } from '../list.ts';
import { limitWait, modelSwitch, newUserGroup, userGroupEdit } from './user-group-input.ts';
import { id, idParam, ratio, text } from '../values.ts';
import { groupTokenLimits } from '../token/token-limits.ts';

export const userGroup = z.object({
  id,
  /** Identifier used by users, tokens and channels; immutable. */
  symbol: z.string(),
  name: z.string(),
  /** Multiplies every price for this group. */
  ratio,
  /** Requests per minute and user. */
  api_rate: z.int(),
  /** Everyone can see it and select it for a token. */
  public: z.boolean(),
  enable: z.boolean(),
  /** Null: none. */
  token_limits: z.nullable(groupTokenLimits),
  /** Models that the group may call; null: all. */
  model_switch: z.nullable(modelSwitch),
  /** Wait of calls while all channels of their model are at limits; null: they are refused. */
  limit_wait: z.nullable(limitWait),
  /** How channels of one priority share its calls; null: as the site says. */
  channel_preference: z.nullable(channelPreference),
});
export type UserGroup = z.infer<typeof userGroup>;

const count = z.int();

/** A group with usage counts, as seen by administrators. */
export const userGroupRow = z.extend(userGroup, {
  users: count,
  /** Tokens assigned to the group. */
  tokens: count,
  channels: count,
  /** Models of its enabled channels. */
  models: count,
});
export type UserGroupRow = z.infer<typeof userGroupRow>;

const withId = z.object({ id: idParam });

export const userGroupSchemas = {
  list: {
    audience: 'admin',
    summary: 'List user groups',
    query: z.extend(listQuery(['id', 'name', 'symbol', 'ratio', 'api_rate', 'public', 'enable']), {
      Name: textFilter,
      enable: z.optional(z.enum(['true', 'false', ''])),
    }),
    reply: pageOf(userGroupRow),
  },
  get: {
    audience: 'admin',
    summary: 'Get a user group',
    params: withId,
    reply: userGroupRow,
  },
  create: {
    audience: 'admin',
    summary: 'Create a user group',
    body: newUserGroup,
    reply: userGroup,
  },
  update: {
    audience: 'admin',
    summary: 'Update a user group; `set_enable` also enables or disables it',
    body: userGroupEdit,
    reply: userGroup,
  },
  toggle: {
    audience: 'admin',
    summary: 'Enable or disable a user group as `enable` says; toggles it if absent',
    params: withId,
    query: z.object({ enable: z.optional(z.enum(['true', 'false'])) }),
    reply: userGroup,
  },
  remove: {
    audience: 'admin',
    summary: 'Delete an unused user group, or replace it everywhere by the group `replacement`',
    params: withId,
    query: z.object({ replacement: z._default(text(50), '') }),
  },
  symbols: {
    audience: 'admin',
    summary: 'List the symbols of enabled groups',
    reply: z.array(z.string()),
  },
  map: {
    audience: 'visitor',
    summary: 'Enabled public groups and the caller’s group, by symbol',
    reply: z.record(z.string(), userGroup),
  },
} as const satisfies SchemasByEndpoint;
