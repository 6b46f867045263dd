import type { ListQuery, Page, User } from '@relay-hub/contract';
import { sql } from 'kysely';
import { startsWith } from '#db/dialect-differences.ts';
import type { Db } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { boundColumns } from '#features/account/identity/bound-ids.ts';
import { invitationColumns } from './invitation-columns.ts';
import { pageOfRows } from '#http/list.ts';

/** Columns visible to administrators. */
const columns = [
  'id',
  'display_name',
  'avatar_url',
  'role',
  'status',
  'email',
  'customer_id',
  'group',
  'used_quota',
  'request_count',
  'created_time',
  'last_login_time',
  'register_ip',
] as const;

const lastCall = sql<number>`coalesce((select max(tokens.accessed_time) from tokens where tokens.user_id = users.id), 0)`;

const records = (db: Db, which: 'present' | 'deleted' = 'present') =>
  db
    .selectFrom('users')
    .where('kind', '=', 'person')
    .where('deleted_time', which === 'present' ? 'is' : 'is not', null)
    .select(columns)
    // Of deleted accounts the name that they had.
    .select(sql<string>`coalesce(deleted_name, username)`.as('username'))
    .select(sql<number>`coalesce(deleted_time, 0)`.as('deleted_time'))
    // Credits reserved by calls in progress still count as the user's.
    .select((eb) => eb('quota', '+', eb.ref('held')).as('quota'))
    .select(lastCall.as('last_call_time'))
    .select([...boundColumns])
    .select([...invitationColumns]);

export interface UserQuery extends ListQuery {
  keyword: string;
  role: number;
  status: number;
  group: string;
  inviter: number;
  deleted: number;
}

/** A page of accounts, and the total balance over all pages. */
export async function listUsers(db: Db, query: UserQuery): Promise<Page<User> & { total_quota: number }> {
  let found = records(db, query.deleted === 1 ? 'deleted' : 'present');
  if (query.role !== 0) found = found.where('role', '=', query.role);
  if (query.status !== 0) found = found.where('status', '=', query.status);
  if (query.group !== '') found = found.where('group', '=', query.group);
  if (query.inviter !== 0) found = found.where('inviter_id', '=', query.inviter);
  if (query.keyword !== '') {
    const { keyword } = query;
    const texts = ['username', 'display_name', 'email', 'group'].map((column) => startsWith(column, keyword));
    found = found.where((eb) => eb.or([...texts, ...(isId(keyword) ? [eb('id', '=', Number(keyword))] : [])]));
  }
  const [page, sum] = await Promise.all([
    pageOfRows(found, query),
    found
      .clearSelect()
      // A float, because the sum may exceed the safe integer range and must not fail the list.
      .select(sql<number | null>`sum(cast(quota + held as double precision))`.as('quota'))
      .executeTakeFirstOrThrow(),
  ]);
  return { ...page, total_quota: Math.min(sum.quota ?? 0, Number.MAX_SAFE_INTEGER) };
}

export const isId = (text: string): boolean => /^\d+$/.test(text) && Number.isSafeInteger(Number(text));

/** Throws `record.not_found`, for deleted accounts too. */
export async function getUser(db: Db, id: number): Promise<User> {
  const user = await records(db).where('id', '=', id).executeTakeFirst();
  ensure(user, 'record.not_found', { field: 'id' });
  return user;
}
