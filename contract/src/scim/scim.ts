import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { id, idParam, seconds, text } from '../values.ts';

/** An identity provider that manages accounts. Its secret is in the reply of `create` and `rotate` alone. */
export const scimConnection = z.object({
  id,
  name: z.string(),
  /** Beginning and end of the secret. */
  hint: z.string(),
  /** Whether it takes over accounts that have the address of a person it creates. */
  adopts: z.boolean(),
  /** Whether it may change administrators; never super administrators. */
  admins: z.boolean(),
  created_time: seconds,
  /** Last request, within some minutes; 0: never. */
  used_time: seconds,
  used_ip: z.string(),
  /** Accounts that it manages. */
  users: z.int(),
  groups: z.int(),
});
export type ScimConnection = z.infer<typeof scimConnection>;

const withId = z.object({ id: idParam });
const withSecret = z.object({
  connection: scimConnection,
  secret: z.string(),
  /** Base address that the provider is given. */
  address: z.string(),
});
const newConnection = z.object({
  name: text(60, 1),
  adopts: z._default(z.boolean(), false),
  admins: z._default(z.boolean(), false),
});

export const scimSchemas = {
  list: {
    audience: 'root',
    summary: 'List the SCIM connections of identity providers',
    reply: z.array(scimConnection),
  },
  create: {
    audience: 'root',
    summary: 'Create a SCIM connection; its secret is shown only once. Needs a proof of identity',
    body: newConnection,
    reply: withSecret,
  },
  update: {
    audience: 'root',
    summary: 'Change name and rights of a SCIM connection. Needs a proof of identity',
    params: withId,
    body: z.partial(z.object({ name: text(60, 1), adopts: z.boolean(), admins: z.boolean() })),
    reply: scimConnection,
  },
  rotate: {
    audience: 'root',
    summary: 'Replace the secret of a SCIM connection; the old one ends at once. Needs a proof of identity',
    params: withId,
    reply: withSecret,
  },
  remove: {
    audience: 'root',
    summary: 'Remove a SCIM connection; its accounts and memberships stay and are managed by hand',
    params: withId,
  },
  groups: {
    audience: 'root',
    summary: 'List the groups that identity providers have sent, up to 500',
    reply: z.array(z.object({ name: z.string(), external_id: z.string(), members: z.int() })),
  },
} as const satisfies SchemasByEndpoint;
