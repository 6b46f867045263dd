import * as z from 'zod/mini';
import { csvFile, downloadOptions } from '../download.ts';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { numberFilter, textFilter } from '../list.ts';
import { id, idParam, seconds } from '../values.ts';

/** What an administrator did, or tried to do, to the own account as well, or what was done to an account without one. Secrets are masked when it is written. */
export const auditEntry = z.object({
  id,
  created_time: seconds,
  actor_id: z.int(),
  /** As it was at that time, like the role. */
  actor_name: z.string(),
  actor_role: z.int(),
  ip: z.string(),
  user_agent: z.string(),
  /** Signed in, with an access token, with the link of a mail, or by a command on the server. */
  via: z.enum(['session', 'access_token', 'mail_link', 'command']),
  method: z.string(),
  /** The endpoint, such as `/api/channel/:id`. */
  path: z.string(),
  /** What it was done to: `channel`, `user`, `option` … */
  kind: z.string(),
  /** Which one; empty where it is none or several. */
  object_id: z.string(),
  object_name: z.string(),
  /** The answer's HTTP status, and the code of a refusal. */
  status: z.int(),
  code: z.string(),
});
export type AuditEntry = z.infer<typeof auditEntry>;

export const auditDetail = z.extend(auditEntry, {
  /** What was sent. */
  input: z.unknown(),
  /** The record before and after; null where there was none, or it is not one record. */
  before: z.unknown(),
  after: z.unknown(),
});
export type AuditDetail = z.infer<typeof auditDetail>;

const choice = (last: number) => z._default(z.coerce.number().check(z.int(), z.gte(0), z.lte(last)), 0);
const place = z._default(z.coerce.number().check(z.int(), z.gte(0), z.lte(Number.MAX_SAFE_INTEGER)), 0);

const filters = {
  /** A user name. */
  actor: textFilter,
  kind: textFilter,
  object_id: textFilter,
  /** The start of the object’s name, or of an address. */
  keyword: textFilter,
  /** 1: what was done; 2: what was refused. */
  result: choice(2),
  /** Unix seconds, both inclusive. */
  start_timestamp: numberFilter,
  end_timestamp: numberFilter,
};

export const auditQuery = z.object({
  page: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(1_000_000)), 1),
  size: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(100)), 30),
  ...filters,
  /** The `next` or `previous` of another page; 0: found by its number. */
  after: place,
  before: place,
});

export const auditPage = z.object({
  data: z.array(auditEntry),
  page: z.int(),
  size: z.int(),
  /** Goes no further than 10 000 beyond the page: `more` says whether there are more than that. */
  total_count: z.int(),
  more: z.boolean(),
  /** Where the next page begins, and where the one before it ends; empty where there is none. */
  next: z.string(),
  previous: z.string(),
});
export type AuditPage = z.infer<typeof auditPage>;

export const auditSchemas = {
  list: {
    audience: 'admin',
    summary: 'List the audit log of administrators’ actions, newest first',
    query: auditQuery,
    reply: auditPage,
  },
  get: {
    audience: 'admin',
    summary: 'Get an audit entry with its input and the record before and after',
    params: z.object({ id: idParam }),
    reply: auditDetail,
  },
  download: {
    audience: 'admin',
    summary: 'Export matching entries as CSV',
    query: z.object({ ...filters, ...downloadOptions }),
    file: csvFile,
  },
} as const satisfies SchemasByEndpoint;
