import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { networkEntry } from '../token/token-limits.ts';
import { expiry, id, idParam, seconds, text } from '../values.ts';

/** Rights of an access key, within those of its owner's role. `read`: every GET; the others: all of their area. */
export const accessScopes = ['read', 'tokens', 'users', 'channels', 'prices', 'money', 'logs', 'settings'] as const;
export type AccessScope = (typeof accessScopes)[number];

const nounsOf: Record<Exclude<AccessScope, 'read'>, string> = {
  tokens: 'token newApi task midjourney',
  users: 'team teamAdmin user userGroup tokenAdmin limit block announcement',
  channels: 'channel channelBatch channelCheck channelJob channelKey channelTag purchasePrice route virtualModel guard',
  prices: 'price priceChange priceUpdate modelOwner',
  money:
    'bill billSource ledger order ownOrder payment plan planAdmin reconciliation redemption statement usageExport whatIf',
  logs: 'activity analytics audit bill books cockpit dashboard incident log logArchive logCleanup system',
  settings: 'backup bot launch notification option replyCache statusPage way',
};
const areas = new Map<string, AccessScope>(
  Object.entries(nounsOf).flatMap(([scope, nouns]) => nouns.split(' ').map((noun) => [noun, scope as AccessScope])), // its keys
);

/** The scope of the endpoints of a noun; undefined: access keys never reach them, such as sign-in and access keys. */
export const accessAreaOf = (noun: string): AccessScope | undefined => areas.get(noun);

const scopes = z.array(z.enum(accessScopes)).check(
  z.minLength(1),
  z.overwrite((given) => accessScopes.filter((scope) => given.includes(scope))),
);
const addresses = z.array(networkEntry).check(z.maxLength(50));
const name = text(60, 1);

/** A key of the management API. The key itself is in the reply of `create` and `rotate` alone. */
export const accessKey = z.object({
  id,
  name: z.string(),
  /** Its beginning and end. */
  hint: z.string(),
  scopes: z.array(z.enum(accessScopes)),
  /** Addresses and networks that may use it; empty: all. */
  addresses: z.array(z.string()),
  created_time: seconds,
  /** -1: never. */
  expired_time: seconds,
  /** Last use, within some minutes; 0: never. */
  used_time: seconds,
  used_ip: z.string(),
});
export type AccessKey = z.infer<typeof accessKey>;

export const newAccessKey = z.object({
  name,
  scopes,
  addresses: z._default(addresses, []),
  expired_time: z._default(expiry, -1),
});

/** Fields that are left out are kept. */
export const accessKeyEdit = z.object({
  name: z.optional(name),
  scopes: z.optional(scopes),
  addresses: z.optional(addresses),
  expired_time: z.optional(expiry),
});

const withId = z.object({ id: idParam });
const withKey = z.object({ access_key: accessKey, key: z.string() });

export const accessKeySchemas = {
  list: {
    audience: 'user',
    summary: 'List your access keys of the management API',
    reply: z.array(accessKey),
  },
  create: {
    audience: 'user',
    summary: 'Create an access key with scopes; the key is shown only once. Needs a proof of identity',
    body: newAccessKey,
    reply: withKey,
  },
  update: {
    audience: 'user',
    summary: 'Change name, scopes, addresses or expiry of an access key. Needs a proof of identity',
    params: withId,
    body: accessKeyEdit,
    reply: accessKey,
  },
  rotate: {
    audience: 'user',
    summary: 'Replace an access key by a new one with the same rights; the old one ends at once',
    params: withId,
    reply: withKey,
  },
  remove: {
    audience: 'user',
    summary: 'Remove an access key, which ends at once',
    params: withId,
  },
} as const satisfies SchemasByEndpoint;
