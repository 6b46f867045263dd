import type { TaskFilters } from '@relay-hub/contract';
import type { SelectQueryBuilder } from 'kysely';
import { sql } from 'kysely';
import { contains, startsWith } from '#db/dialect-differences.ts';
import type { Tables } from '#db/tables.ts';
import { idNamed } from '#features/account/user/user-named.ts';

type AdminOnly = 'channel_id' | 'user_id' | 'user_ids' | 'username';

/** Filters of a list of tasks; owners have fewer. */
export type TaskQuery = Omit<TaskFilters, AdminOnly> & Partial<Pick<TaskFilters, AdminOnly>>;

type Rows = SelectQueryBuilder<Tables, 'tasks', object>;

/** The rows that the filters find. Values that name nothing find nothing. */
export function matching(all: Rows, query: TaskQuery): Rows {
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
