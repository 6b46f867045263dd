import type { AuditDetail, AuditEntry, AuditPage, auditQuery } from '@relay-hub/contract';
import { role } from '@relay-hub/contract';
import type * as z from 'zod/mini';
import { startsWith } from '#db/dialect-differences.ts';
import type { Db } from '#db/tables.ts';
import { ensure } from '#errors.ts';

type AuditQuery = z.output<typeof auditQuery>;
export type AuditFilters = Omit<AuditQuery, 'page' | 'size' | 'after' | 'before'>;
/** Administrators do not see a super administrator's actions. */
type AuditReader = { role: number };

const columns = [
  'id',
  'created_time',
  'actor_id',
  'actor_name',
  'actor_role',
  'ip',
  'user_agent',
  'via',
  'method',
  'path',
  'kind',
  'object_id',
  'object_name',
  'status',
  'code',
] as const;

const COUNTED_BEYOND = 10_000;
const EXPORTED_AT_ONCE = 500;

const readable = (db: Db, reader: AuditReader) =>
  db.selectFrom('audit').$if(reader.role < role.root, (rows) => rows.where('actor_role', '<', role.root));

function found(db: Db, filters: AuditFilters, reader: AuditReader) {
  let rows = readable(db, reader);
  if (filters.actor !== '') rows = rows.where('actor_name', '=', filters.actor);
  if (filters.kind !== '') rows = rows.where('kind', '=', filters.kind);
  if (filters.object_id !== '') rows = rows.where('object_id', '=', filters.object_id);
  if (filters.account_id !== 0) rows = rows.where('account_id', '=', filters.account_id);
  if (filters.keyword !== '') {
    const texts = ['object_name', 'ip', 'path', 'actor_name'].map((column) => startsWith(column, filters.keyword));
    rows = rows.where((eb) => eb.or(texts));
  }
  if (filters.result === 1) rows = rows.where('code', '=', '');
  if (filters.result === 2) rows = rows.where('code', '<>', '');
  if (filters.start_timestamp > 0) rows = rows.where('created_time', '>=', filters.start_timestamp);
  if (filters.end_timestamp > 0) rows = rows.where('created_time', '<=', filters.end_timestamp);
  return rows;
}

/** A page of entries, newest first, by page number or cursor. */
export async function listAudit(db: Db, query: AuditQuery, reader: AuditReader): Promise<AuditPage> {
  const { page, size, after, before } = query;
  const rows = found(db, query, reader).select(columns);
  const skip = (page - 1) * size;
  const rowsOfPage =
    before > 0
      ? rows
          .where('id', '>', before)
          .orderBy('id', 'asc')
          .limit(size + 1)
      : (after > 0 ? rows.where('id', '<', after) : rows.offset(skip)).orderBy('id', 'desc').limit(size + 1);
  const most = skip + size + COUNTED_BEYOND;
  const [read, total] = await Promise.all([rowsOfPage.execute(), countUpTo(db, query, reader, most + 1)]);
  const data = read.slice(0, size);
  if (before > 0) data.reverse();
  const isMore = read.length > size;
  return {
    data,
    page,
    size,
    total_count: Math.min(total, most),
    more: total > most,
    next: (before > 0 || isMore) && data.length > 0 ? String(data.at(-1)?.id) : '',
    previous: (before > 0 ? isMore : page > 1) && data.length > 0 ? String(data[0]?.id) : '',
  };
}

async function countUpTo(db: Db, filters: AuditFilters, reader: AuditReader, most: number): Promise<number> {
  const some = found(db, filters, reader).select('id').limit(most);
  const { total } = await db
    .selectFrom(some.as('some'))
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/** One entry in full. Throws `record.not_found`. */
export async function getAudit(db: Db, id: number, reader: AuditReader): Promise<AuditDetail> {
  const entry = await readable(db, reader)
    .where('id', '=', id)
    .select([...columns, 'input', 'before', 'after'])
    .executeTakeFirst();
  ensure(entry, 'record.not_found', { field: 'id' });
  return entry;
}

/** All entries that match a filter, newest first, read on demand. */
export async function* allAudit(db: Db, filters: AuditFilters, reader: AuditReader): AsyncGenerator<AuditEntry, void> {
  let last = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const rows = await found(db, filters, reader)
      .select(columns)
      .where('id', '<', last)
      .orderBy('id', 'desc')
      .limit(EXPORTED_AT_ONCE)
      .execute();
    yield* rows;
    const end = rows.at(-1);
    if (!end || rows.length < EXPORTED_AT_ONCE) return;
    last = end.id;
  }
}
