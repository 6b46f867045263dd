import * as z from 'zod/mini';
import { csvFile, downloadOptions } from '../download.ts';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { choice, numberFilter, textFilter } from '../list.ts';
import { id, idParam, seconds } from '../values.ts';

/** An action of an administrator, or an unauthenticated one on an administrator's account. Secrets are masked when written. */
export const auditEntry = z.object({
  id,
  created_time: seconds,
  actor_id: z.int(),
  /** Name and role at that time. */
  actor_name: z.string(),
  actor_role: z.int(),
  ip: z.string(),
  user_agent: z.string(),
  /** How the actor authenticated. */
  via: z.enum(['session', 'access_token', 'mail_link', 'command', 'provider']),
  method: z.string(),
  /** The endpoint, such as `/api/channel/:id`. */
  path: z.string(),
  /** Kind of the object: `channel`, `user`, `option` … */
  kind: z.string(),
  /** Empty if there is none, or several. */
  object_id: z.string(),
  object_name: z.string(),
  /** HTTP status and error code of the reply. */
  status: z.int(),
  code: z.string(),
});
export type AuditEntry = z.infer<typeof auditEntry>;

export const auditDetail = z.extend(auditEntry, {
  /** The input, masked. */
  input: z.unknown(),
  /** The record before and after; null if there is none, or several. */
  before: z.unknown(),
  after: z.unknown(),
});
export type AuditDetail = z.infer<typeof auditDetail>;

const place = z._default(z.coerce.number().check(z.int(), z.gte(0), z.lte(Number.MAX_SAFE_INTEGER)), 0);

const filters = {
  /** A user name. */
  actor: textFilter,
  kind: textFilter,
  object_id: textFilter,
  /** Changes to a team and what belongs to its account; 0: all. */
  account_id: numberFilter,
  /** Prefix of the object’s name or of an IP address. */
  keyword: textFilter,
  /** 1: successful; 2: refused. */
  result: choice(2),
  /** Unix seconds, both inclusive. */
  start_timestamp: numberFilter,
  end_timestamp: numberFilter,
};

export const auditQuery = z.object({
  page: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(1_000_000)), 1),
  size: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(100)), 30),
  ...filters,
  /** Cursor: `next` or `previous` of another page; 0: use the page number. */
  after: place,
  before: place,
});

export const auditPage = z.object({
  data: z.array(auditEntry),
  page: z.int(),
  size: z.int(),
  /** Counted up to 10,000 beyond the page; `more` if there are more. */
  total_count: z.int(),
  more: z.boolean(),
  /** Cursors of the next and the previous page; empty if there is none. */
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
