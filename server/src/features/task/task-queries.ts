import type {
  ListQuery,
  midjourneySchemas,
  MidjourneyTask,
  Page,
  Task,
  TaskFilters,
  TaskTotals,
} from '@relay-hub/contract';
import { type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import type * as z from 'zod/mini';
import type { Db, Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { pageOfRows } from '#http/list.ts';
import { isCancellable } from '#tasks/cancel-task.ts';
import { imagePath } from '#tasks/image-path.ts';
import { type LinkDeps, mediaRecords, ownMedia, withOwnAddresses } from '#tasks/media/media-links.ts';
import { isToken } from '#roll-ups/usage-scope.ts';
import { contains, startsWith } from '#db/dialect-differences.ts';
import { idNamed } from '#features/account/user/user-named.ts';

/** Input for turning a row into a record. */
export type TaskReading = LinkDeps;

/** Tasks of all users with names and channels, or of one user without. */
export type TaskScope = 'all' | { userId: number; tokenIds: readonly number[] | undefined };

type Row = Selectable<Tables['tasks']>;

type MidjourneyQuery = z.output<(typeof midjourneySchemas.list)['query']>;

export async function listTasks(
  db: Db,
  scope: TaskScope,
  query: ListQuery & TaskQuery,
  reading: TaskReading,
): Promise<Page<Task>> {
  const rows = matching(inScope(db, scope), query);
  const page = await pageOfRows(rows.selectAll(), query, worked);
  return { ...page, data: await recordsOf(db, scope, page.data, reading) };
}

/** Throws `record.not_found` for a task that is not in the scope. */
export async function taskInScope(db: Db, scope: TaskScope, id: number): Promise<Row> {
  const row = await inScope(db, scope).where('id', '=', id).selectAll().executeTakeFirst();
  ensure(row, 'record.not_found');
  return row;
}

/** Throws `record.not_found` for a task that is not in the scope. */
export async function getTask(db: Db, scope: TaskScope, id: number, reading: TaskReading): Promise<Task> {
  const row = await taskInScope(db, scope, id);
  const [record] = await recordsOf(db, scope, [row], reading);
  ensure(record, 'record.not_found');
  return record;
}

export async function listMidjourneyTasks(
  db: Db,
  scope: TaskScope,
  query: Omit<MidjourneyQuery, 'channel_id' | 'user_id'> & Partial<MidjourneyQuery>,
  reading: TaskReading,
): Promise<Page<MidjourneyTask>> {
  const { mj_id, token_id, action, status, start_timestamp, end_timestamp, channel_id = 0, user_id = 0 } = query;
  let rows = inScope(db, scope).where('platform', '=', 'midjourney');
  if (mj_id !== '') rows = rows.where('task_id', '=', mj_id);
  if (action !== '') rows = rows.where('action', '=', action);
  if (status !== '') rows = rows.where(sql<string>`status`, '=', status);
  if (token_id !== 0) rows = rows.where('token_id', '=', token_id);
  if (channel_id !== 0) rows = rows.where('channel_id', '=', channel_id);
  if (user_id !== 0) rows = rows.where('user_id', '=', user_id);
  if (start_timestamp !== 0) rows = rows.where('submit_ms', '>=', start_timestamp);
  if (end_timestamp !== 0) rows = rows.where('submit_ms', '<=', end_timestamp);
  const page = await pageOfRows(rows.selectAll(), query, worked);
  return { ...page, data: page.data.map((row) => midjourneyRecord(row, scope, reading)) };
}

/** Names of the wire for columns with other names here. */
const worked = {
  mj_id: sql`task_id`,
  submit_time: sql`submit_ms`,
  start_time: sql`start_ms`,
  finish_time: sql`finish_ms`,
};

const inScope = (db: Db, scope: TaskScope): SelectQueryBuilder<Tables, 'tasks', object> =>
  scope === 'all'
    ? db.selectFrom('tasks')
    : db
        .selectFrom('tasks')
        .where('user_id', '=', scope.userId)
        .$if(scope.tokenIds !== undefined, (tasks) => tasks.where(isToken('token_id', scope.tokenIds ?? [])));

/** Sums of the tasks that `listTasks` finds. */
export const taskTotals = (db: Db, scope: TaskScope, query: TaskQuery): Promise<TaskTotals> =>
  matching(inScope(db, scope), query)
    .select(({ fn }) => [
      fn.countAll<number>().as('count'),
      sql<number>`coalesce(sum(case when refunded then 0 else coalesce(settled_quota, quota) end), 0)`.as('quota'),
      sql<number>`coalesce(sum(case when refunded then 1 else 0 end), 0)`.as('refunded_count'),
      sql<number>`coalesce(sum(case when refunded then quota else quota - coalesce(settled_quota, quota) end), 0)`.as(
        'refunded_quota',
      ),
    ])
    .executeTakeFirstOrThrow();

const midjourneyRecord = (row: Row, scope: TaskScope, reading: TaskReading): MidjourneyTask => ({
  id: row.id,
  code: row.code,
  user_id: row.user_id,
  action: row.action,
  mj_id: row.task_id,
  prompt: row.prompt,
  prompt_en: row.prompt_en,
  description: row.description,
  state: row.state,
  submit_time: row.submit_ms,
  start_time: row.start_ms,
  finish_time: row.finish_ms,
  image_url: row.image_url === '' ? '' : ownMedia(reading, imagePath(row.task_id)),
  status: row.status,
  progress: `${row.progress}%`,
  fail_reason: row.fail_reason,
  channel_id: scope === 'all' ? row.channel_id : 0,
  quota: row.settled_quota ?? row.quota,
  refunded: row.refunded,
  buttons: JSON.stringify(row.buttons),
  properties: JSON.stringify(row.properties),
  mode: row.mode,
  token_id: row.token_id,
});

async function recordsOf(db: Db, scope: TaskScope, rows: readonly Row[], reading: TaskReading): Promise<Task[]> {
  if (rows.length === 0) return [];
  const isAdmin = scope === 'all';
  const names = async (table: 'users' | 'channels' | 'tokens', column: 'user_id' | 'channel_id' | 'token_id') => {
    const ids = [...new Set(rows.map((row) => row[column]))];
    const name = table === 'users' ? sql<string>`username` : sql<string>`name`;
    const found = await db.selectFrom(table).where('id', 'in', ids).select('id').select(name.as('name')).execute();
    return new Map(found.map((each) => [each.id, each.name]));
  };
  const [users, tokens, channels] = await Promise.all([
    isAdmin ? names('users', 'user_id') : new Map<number, string>(),
    names('tokens', 'token_id'),
    isAdmin ? names('channels', 'channel_id') : new Map<number, string>(),
  ]);
  return rows.map((row) => ({
    id: row.id,
    task_id: row.task_id,
    platform: row.platform,
    action: row.action,
    model: row.model,
    mode: row.mode === '' ? null : row.mode,
    status: row.status,
    progress: row.progress,
    created_at: row.created_at,
    updated_at: row.updated_at,
    submit_time: Math.floor(row.submit_ms / 1000),
    start_time: Math.floor(row.start_ms / 1000),
    finish_time: Math.floor(row.finish_ms / 1000),
    fail_reason: row.fail_reason,
    prompt: row.prompt,
    prompt_en: row.prompt_en,
    description: row.description,
    state: row.state,
    buttons: row.buttons,
    media: mediaRecords(reading, row),
    data: withOwnAddresses(reading, row, { value: row.data ?? null, site: reading.config.basePath }),
    properties: row.properties,
    quota: row.settled_quota ?? row.quota,
    cancellable: isCancellable(row),
    refunded: row.refunded,
    refund_reference: row.refunded ? `task:${row.task_id}` : '',
    request_id: row.request_id,
    user_id: row.user_id,
    username: users.get(row.user_id) ?? '',
    token_id: row.token_id,
    token_name: tokens.get(row.token_id) ?? '',
    channel_id: isAdmin ? row.channel_id : 0,
    channel_name: channels.get(row.channel_id) ?? '',
    parent_task_id: row.parent_task_id,
  }));
}

type AdminOnly = 'channel_id' | 'user_id' | 'user_ids' | 'username';

/** Filters of a list of tasks; owners have fewer. */
type TaskQuery = Omit<TaskFilters, AdminOnly> & Partial<Pick<TaskFilters, AdminOnly>>;

type Rows = SelectQueryBuilder<Tables, 'tasks', object>;

/** The rows that the filters find. Values that name nothing find nothing. */
function matching(all: Rows, query: TaskQuery): Rows {
  const { platform, action, status, task_id, keyword, ids, token_id, start_timestamp, end_timestamp } = query;
  let rows = all;
  for (const [column, given] of Object.entries({ platform, action, status })) {
    const values = given.split(',').filter((value) => value !== '');
    if (values.length > 0) rows = rows.where(sql<string>`${sql.ref(column)}`, 'in', values);
  }
  if (task_id !== '') rows = rows.where('task_id', '=', task_id);
  if (keyword !== '') rows = rows.where(({ or }) => or([contains('prompt', keyword), startsWith('task_id', keyword)]));
  if (ids.length > 0) rows = rows.where('id', 'in', ids);
  if (token_id !== 0) rows = rows.where('token_id', '=', token_id);
  if (start_timestamp !== 0) rows = rows.where('submit_ms', '>=', start_timestamp * 1000);
  if (end_timestamp !== 0) rows = rows.where('submit_ms', '<=', end_timestamp * 1000 + 999);
  return ofAnybody(rows, query);
}

/** Filters that only administrators have. */
function ofAnybody(all: Rows, { channel_id = 0, user_id = 0, user_ids = [], username = '' }: TaskQuery): Rows {
  let rows = all;
  if (channel_id !== 0) rows = rows.where('channel_id', '=', channel_id);
  if (user_id !== 0) rows = rows.where('user_id', '=', user_id);
  if (user_ids.length > 0) rows = rows.where('user_id', 'in', user_ids);
  if (username !== '') rows = rows.where('user_id', '=', idNamed(username));
  return rows;
}
