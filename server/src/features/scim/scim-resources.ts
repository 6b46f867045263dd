import type { FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import { role } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import type { ErrorCode } from '#errors.ts';
import { clientIp } from '#http/client-ip.ts';
import type { Json } from '#json.ts';
import type { ConnectionRow } from './scim-connections.ts';
import { ensureScim, ScimError } from './scim-error.ts';
import { equalities, parseFilter } from './scim-filter.ts';
import { listResponse, MOST_LISTED } from './scim-schemas.ts';

/** A request of an identity provider. */
export interface ScimCall {
  deps: Deps;
  connection: ConnectionRow;
  request: FastifyRequest;
  /** Address of the service, for locations. */
  base: string;
}

const whole = z.pipe(
  z.string(),
  z.transform((text: string) => (/^-?\d{1,9}$/.test(text) ? Number(text) : 0)),
);
const listInput = z.object({
  filter: z._default(z.string(), ''),
  startIndex: z._default(whole, 1),
  count: z._default(whole, 100),
  attributes: z._default(z.string(), ''),
  excludedAttributes: z._default(z.string(), ''),
});
export type ListInput = z.output<typeof listInput>;

/** Filter, page and attributes of a query. Names are spelled as in the RFC. */
export function readQuery(query: unknown): ListInput {
  const parsed = listInput.safeParse(query ?? {});
  ensureScim(parsed.success, 400, 'A parameter is repeated.', 'invalidValue');
  return parsed.data;
}

/** Terms of the filter, each for one of `attributes` (lower case). Throws `invalidFilter`. */
export function termsOf(filter: string, attributes: readonly string[]): { path: string; value: string }[] {
  if (filter.trim() === '') return [];
  const terms = equalities(parseFilter(filter));
  ensureScim(
    terms !== undefined && terms.every(({ path }) => attributes.includes(path)),
    400,
    `Filters compare with eq, joined by and: ${attributes.join(', ')}.`,
    'invalidFilter',
  );
  return terms;
}

/** Rows to skip and to read. */
export const pageOf = ({ startIndex, count }: ListInput): { offset: number; limit: number } => ({
  offset: Math.max(0, startIndex - 1),
  limit: Math.min(MOST_LISTED, Math.max(0, count)),
});

export const listReply = (resources: readonly Json[], total: number, offset: number): Json => ({
  schemas: [listResponse],
  totalResults: total,
  startIndex: offset + 1,
  itemsPerPage: resources.length,
  Resources: resources,
});

/** A resource without what the query leaves out. */
export function chosen(resource: Json, { attributes, excludedAttributes }: ListInput): Json {
  const names = (list: string) =>
    list
      .toLowerCase()
      .split(',')
      .map((name) => name.trim().split('.')[0] ?? '');
  const [wanted, unwanted] = [attributes === '' ? undefined : names(attributes), names(excludedAttributes)];
  const always = ['id', 'schemas', 'meta'];
  return Object.fromEntries(
    Object.entries(resource).filter(([name]) => {
      const key = name.toLowerCase();
      return always.includes(key) || ((wanted?.includes(key) ?? true) && !unwanted.includes(key));
    }),
  );
}

/** Refuses a change of a version that the provider does not know. Throws 412. */
export function checkVersion({ headers }: FastifyRequest, version: number): void {
  const match = headers['if-match'];
  ensureScim(
    match === undefined || match === '*' || match.includes(etag(version)),
    412,
    'The resource has changed since it was read.',
  );
}

export const etag = (version: number): string => `W/"${version}"`;

export const metaOf = (
  type: 'User' | 'Group',
  row: { version: number; created_time: number; changed_time: number },
  location: string,
): Json => ({
  resourceType: type,
  created: new Date(row.created_time * 1000).toISOString(),
  lastModified: new Date(row.changed_time * 1000).toISOString(),
  location,
  version: etag(row.version),
});

/** The number in the path or in a reference. Throws 404, or the given refusal. */
export function idOf(text: unknown, otherwise = new ScimError(404, 'The resource does not exist.')): number {
  const id = typeof text === 'string' || typeof text === 'number' ? String(text) : '';
  if (!/^[1-9]\d{0,14}$/.test(id)) throw otherwise;
  return Number(id);
}

interface NotedChange {
  kind: 'user' | 'scim_group';
  id: number;
  name: string;
  before: Json | null;
  after: Json | null;
  /** Of a refusal. */
  refused?: { status: number; code: ErrorCode };
}

/** Writes the audit entry of a change. */
export async function noteChange(
  db: Db,
  { deps, connection, request }: ScimCall,
  { refused, ...change }: NotedChange,
): Promise<void> {
  await db
    .insertInto('audit')
    .values({
      created_time: deps.now(),
      actor_id: 0,
      actor_name: connection.name,
      actor_role: role.guest,
      ip: clientIp(request.raw, deps.config.trustedProxies),
      user_agent: (request.headers['user-agent'] ?? '').slice(0, 300),
      via: 'provider',
      method: request.method,
      path: request.routeOptions.url ?? '',
      kind: change.kind,
      object_id: String(change.id),
      object_name: change.name,
      status: refused?.status ?? 200,
      code: refused?.code ?? '',
      account_id: null,
      input: null,
      before: JSON.stringify(change.before),
      after: JSON.stringify(change.after),
    })
    .execute();
}
