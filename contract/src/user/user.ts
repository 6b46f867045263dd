import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { credits, id, seconds } from '../values.ts';

/** Account data stored by the browser under the key `user`. */
export const sessionUser = z.object({
  id,
  username: z.string(),
  display_name: z.string(),
  avatar_url: z.string(),
  role: z.int(),
  status: z.int(),
});
export type SessionUser = z.infer<typeof sessionUser>;

/** Balance and orders that the deletion of an account does not settle: neither is the balance paid out nor an order cancelled. */
export const closingFacts = z.object({
  quota: credits,
  /** Orders that wait for a payment, which is credited when it comes. */
  open_orders: z.int(),
  /** Tokens that stop working. */
  tokens: z.int(),
});
export type ClosingFacts = z.infer<typeof closingFacts>;

/** Connected accounts, with the field names of the product family. */
export const boundIds = {
  /** The user name; the id is in `github_id_new`. */
  github_id: z.string(),
  /** 0 = none, like `telegram_id`. */
  github_id_new: z.int(),
  oidc_id: z.string(),
  lark_id: z.string(),
  wechat_id: z.string(),
  telegram_id: z.int(),
};

/** Invitations of an account, with the field names of the product family. */
export const invitationFields = {
  /** Empty until it was asked for. */
  aff_code: z.string(),
  /** 0 = none. */
  inviter_id: z.int(),
  /** Invited accounts, deleted ones too. */
  aff_count: z.int(),
};

export const storageStates = ['ok', 'full', 'damaged'] as const;

export const self = z.extend(sessionUser, {
  ...boundIds,
  ...invitationFields,
  email: z.string(),
  group: z.string(),
  /** Available credits, without those reserved by open calls. */
  quota: credits,
  used_quota: credits,
  request_count: z.int(),
  created_time: seconds,
  last_login_time: seconds,
  /** Number of channels in trouble, for administrators; 0 for other users. */
  troubled_channels: z.int(),
  /** Storage of the answering node, for administrators; `ok` for other users. `full` and `damaged` refuse all calls. */
  storage: z.enum(storageStates),
  /** The site requires two-step verification of this administrator, who has not turned it on. */
  owes_two_step: z.boolean(),
  unread_notifications: z.int(),
});
export type Self = z.infer<typeof self>;

/** Number of tokens disabled by a new password; absent if none was set. */
export const disabledTokens = { disabled_tokens: z.optional(z.int()) };

/** Usage of a model on a day, with the field names of the product family. */
export const usageDay = z.object({
  Date: z.string(),
  ModelName: z.string(),
  RequestCount: z.int(),
  Quota: credits,
  PromptTokens: z.int(),
  CompletionTokens: z.int(),
  /** Milliseconds, summed over the requests. */
  RequestTime: z.int(),
});
export type UsageDay = z.infer<typeof usageDay>;

export const loginInput = z.object({
  username: z.string().check(z.trim(), z.minLength(1), z.maxLength(255)),
  password: z.string().check(z.minLength(1), z.maxLength(255)),
});

export const userSchemas = {
  login: {
    audience: 'public',
    summary: 'Sign in. A failure is a 200 with `success` false and an empty message',
    body: loginInput,
    reply: sessionUser,
  },
  logout: {
    audience: 'public',
    summary: 'Sign out of this session',
    changes: true,
  },
  self: { audience: 'user', summary: 'Get your account', reply: self },
  dashboard: {
    audience: 'user',
    summary: 'Your usage of the last 8 days by day and model, in the server’s time zone',
    reply: z.array(usageDay),
  },
} as const satisfies SchemasByEndpoint;
