import { tokenStatus } from '@relay-hub/contract';
import { sql } from 'kysely';
import type { Db, Tables } from '#db/tables.ts';
import { GROUP_RATIO, groupRatios } from '#features/option/group-ratio.ts';

/** The kind of record that an endpoint changes, and where to read it. */
interface Subject {
  prefix: string;
  kind: string;
  table?: keyof Tables;
  /** The column that the endpoint identifies it by; default `id`. */
  by?: string;
  /** The column with its display name. */
  name?: string;
  /** The column with its owner; other users' records are not read. */
  owner?: string;
}

/** The first match wins; an unlisted path is named after its segment behind `/api/` and has no record. */
const subjects: Subject[] = [
  { prefix: '/api/announcement', kind: 'announcement', table: 'announcements' },
  { prefix: '/api/status_page', kind: 'incident', table: 'incidents' },
  { prefix: '/api/books/bill_sources', kind: 'bill_source' },
  { prefix: '/api/books/bills', kind: 'bill' },
  { prefix: '/api/books/usage_exports', kind: 'usage_export', table: 'usage_exports', name: 'name' },
  { prefix: '/api/block', kind: 'block', table: 'blocks', name: 'network' },
  { prefix: '/api/guard', kind: 'guard', table: 'guard_rules', name: 'name' },
  { prefix: '/api/virtual_model', kind: 'virtual_model', table: 'virtual_models', name: 'name' },
  { prefix: '/api/user_group', kind: 'user_group', table: 'user_groups', name: 'symbol' },
  { prefix: '/api/scim', kind: 'scim', table: 'scim_connections', name: 'name' },
  { prefix: '/api/team', kind: 'team', table: 'users', name: 'username' },
  { prefix: '/api/user', kind: 'user', table: 'users', name: 'username' },
  { prefix: '/api/plan/subscriptions', kind: 'subscription', table: 'subscriptions' },
  { prefix: '/api/plan/self', kind: 'subscription', table: 'subscriptions', owner: 'user_id' },
  { prefix: '/api/plan', kind: 'plan', table: 'plans' },
  { prefix: '/api/channel_tag', kind: 'channel_tag' },
  { prefix: '/api/channel', kind: 'channel', table: 'channels', name: 'name' },
  { prefix: '/api/redemption', kind: 'redemption', table: 'redemptions', name: 'name' },
  { prefix: '/api/payment/order', kind: 'order', table: 'orders', name: 'trade_no' },
  { prefix: '/api/payment/refund', kind: 'refund', table: 'refunds', name: 'refund_no' },
  { prefix: '/api/payment', kind: 'payment_gateway', table: 'payment_gateways', name: 'name' },
  { prefix: '/api/option/telegram', kind: 'bot_command', table: 'telegram_menus', name: 'command' },
  { prefix: '/api/option', kind: 'option', table: 'options', by: 'key' },
  { prefix: '/api/model_ownedby', kind: 'model_owner', table: 'model_owners', name: 'name' },
  { prefix: '/api/prices', kind: 'price', table: 'prices', by: 'model', name: 'model' },
  { prefix: '/api/token/all', kind: 'token', table: 'tokens', name: 'name' },
  { prefix: '/api/token', kind: 'token', table: 'tokens', name: 'name', owner: 'user_id' },
];

/** The caller's own account, also for paths about its passkeys, sessions and identities. */
export const ownAccount: Subject = { prefix: '', kind: 'user', table: 'users', name: 'username' };

/** Endpoints that only query, start or prove something and change no record. */
const questions = new Set([
  'POST /api/route/explain',
  'POST /api/prices/update/preview',
  'POST /api/payment/reconcile',
  'POST /api/books/bill',
  'POST /api/books/usage_exports/:id/test',
  'POST /api/payment/:id/test',
  'POST /api/channel/provider_models_list',
  'POST /api/channel/batch/preview',
  'POST /api/sse/channel/check',
  'GET /api/oauth/state',
  'GET /api/oauth/endpoint',
  'POST /api/user/self/proof',
  'POST /api/user/self/proof/passkey/options',
  'POST /api/user/self/proof/passkey',
  'POST /api/user/self/passkeys/options',
  'POST /api/user/self/totp/begin',
  'GET /api/user/aff',
  'POST /api/user/aff',
  'POST /api/team/invite',
]);

export const isQuestion = (method: string, path: string): boolean => questions.has(`${method} ${path}`);

export function subjectOf(path: string): Subject {
  const found = subjects.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
  return found ?? { prefix: path, kind: path.split('/')[2] ?? '' };
}

/** The id of the record that an input names, or ''. For settings, their keys. */
export async function idIn(
  db: Db,
  { kind, by = 'id' }: Subject,
  { params, body }: { params?: unknown; body?: unknown },
): Promise<string> {
  const [inPath, inBody] = [params, body].map((part) => (isRecord(part) ? part : {}));
  if (kind === 'option') return settingsIn(db, inPath?.['id'], inBody ?? {});
  const named = inPath?.['id'] ?? inPath?.['tag'] ?? inPath?.[by] ?? inBody?.[by] ?? inBody?.['username'];
  if (typeof named === 'string' || typeof named === 'number') return String(named);
  // A price edit names its model in a list of one.
  const only = kind === 'price' && Array.isArray(inBody?.['models']) ? inBody['models'] : [];
  return only.length === 1 ? String(only[0]) : '';
}

/** The keys of the settings being set, or of the one whose change is being undone. */
async function settingsIn(db: Db, change: unknown, { key, values, address }: Record<string, unknown>): Promise<string> {
  if (typeof key === 'string') return key;
  if (isRecord(values)) return Object.keys(values).toSorted().slice(0, MOST_SETTINGS).join(',');
  // Allowing an address adds a network to this setting.
  if (typeof address === 'string') return 'OutboundPrivateNetworks';
  if (typeof change !== 'number') return '';
  const row = await db.selectFrom('option_changes').where('id', '=', change).select('key').executeTakeFirst();
  return row?.key ?? '';
}

/** As many keys as the log keeps of an object. */
const MOST_SETTINGS = 50;

/** Settings by key; those at their default are not stored and therefore absent. */
async function readSettings(db: Db, keys: string): Promise<Record<string, unknown>> {
  const list = keys.split(',');
  const rows = await db.selectFrom('options').where('key', 'in', list).select(['key', 'value']).execute();
  const ratios = list.includes(GROUP_RATIO) ? [[GROUP_RATIO, await groupRatios(db)]] : [];
  return Object.fromEntries([...rows.map(({ key, value }) => [key, value]), ...ratios]);
}

/** The id of a created record, if the reply names one; a new token's reply contains it next to the key. */
export function idOut(answer: unknown): string {
  const made = isRecord(answer) && isRecord(answer['token']) ? answer['token'] : answer;
  const rows = Array.isArray(made) ? made : [made];
  const ids = rows.flatMap((row) => (isRecord(row) && typeof row['id'] === 'number' ? [row['id']] : []));
  return ids.length > 0 && ids.length <= 20 ? ids.join(',') : '';
}

/** A subject's row with all columns; undefined if it is missing or not visible to the caller. */
export async function readSubject(
  db: Db,
  { table, by = 'id', name, owner }: Subject,
  id: string,
  viewerId: number,
): Promise<Record<string, unknown> | undefined> {
  const isId = /^\d{1,15}$/.test(id);
  if (table === undefined || id === '') return undefined;
  if (table === 'options') return readSettings(db, id);
  // Accounts may also be identified by name.
  const column = by === 'id' && !isId ? name : by;
  if (column === undefined || (by === 'id' && !isId && id.includes(','))) return undefined;
  const value = column === 'id' ? Number(id) : id;
  const inForce = table === 'prices' ? sql` and valid_to is null` : sql``;
  const own = owner === undefined ? sql`` : sql` and ${sql.ref(owner)} = ${viewerId}`;
  const more = table === 'users' ? waysIn : sql``;
  const { rows } = await sql<Record<string, unknown>>`
    select *${more} from ${sql.table(table)} where ${sql.ref(column)} = ${value}${inForce}${own} limit 1`.execute(db);
  const [row] = rows;
  if (!row) return undefined;
  return Object.fromEntries(Object.entries(row).filter(([field]) => !restless.has(field)));
}

/** Counts of other sign-in methods and tokens, because a new password or a reset changes them. */
const waysIn = sql`, (
  select count(*) from tokens
  where tokens.user_id = users.id and tokens.status = ${tokenStatus.enabled} and tokens.deleted_time is null
) as enabled_tokens, (
  select count(*) from totp where totp.user_id = users.id and totp.confirmed_time > 0
) as two_step, (
  select count(*) from recovery_codes where recovery_codes.user_id = users.id and recovery_codes.used_time = 0
) as recovery_codes, (
  select count(*) from passkeys where passkeys.user_id = users.id
) as passkeys, (
  select count(*) from access_keys where access_keys.user_id = users.id
) as access_keys, (
  select count(*) from identities where identities.user_id = users.id
) as identities, (
  select count(*) from sessions where sessions.user_id = users.id
) as sessions`;

/** The record's display name. */
export function nameOf({ name }: Subject, row: Record<string, unknown> | undefined): string {
  const value = name === undefined ? undefined : row?.[name];
  return typeof value === 'string' ? value.slice(0, 200) : '';
}

/** Columns that change without any action by a person. */
const restless = new Set([
  'held',
  'used_quota',
  'request_count',
  'last_login_time',
  'access_token_used_time',
  'accessed_time',
]);

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
