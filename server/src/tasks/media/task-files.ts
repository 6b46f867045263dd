import { locked } from '#db/dialect-differences.ts';
import type { StoredTaskMedia } from '#db/tables/tasks.ts';
import type { Deps } from '#deps.ts';
import type { ReportedMedia } from '#providers/task-operation.ts';
import { songFiles } from '#providers/task-vendors/suno-api.ts';
import type { TaskRow } from '#tasks/task-rows.ts';

export type TaskWithFiles = Pick<TaskRow, 'media' | 'image_url' | 'data' | 'platform'>;

/** The result files of a task; a file's position is its index in addresses. */
export function filesOf({ media, image_url, data, platform }: TaskWithFiles): StoredTaskMedia[] {
  if (media.length > 0) return media;
  const files: ReportedMedia[] = image_url === '' ? [] : [{ kind: 'image', url: image_url }];
  if (platform === 'suno') files.push(...songFiles(data));
  return files.map(unstored);
}

/** The record of a reported file that is not in a store. */
export const unstored = ({
  kind,
  url,
  type = '',
  cover = '',
  title = '',
  seconds = 0,
}: ReportedMedia): StoredTaskMedia => ({
  kind,
  url,
  type,
  cover,
  title,
  seconds,
  stored: '',
  bytes: 0,
});

/**
 * Changes the files of a task, one change after the other. `change` returns undefined to leave them. Resolves to the
 * files afterwards; undefined: there is no such task.
 */
export function changeFiles(
  { db }: Pick<Deps, 'db'>,
  taskId: number,
  change: (files: StoredTaskMedia[]) => StoredTaskMedia[] | undefined,
): Promise<StoredTaskMedia[] | undefined> {
  return db.transaction().execute(async (trx) => {
    const row = await locked(
      trx.selectFrom('tasks').where('id', '=', taskId).select(['media', 'image_url', 'data', 'platform']),
      trx,
    ).executeTakeFirst();
    if (!row) return undefined;
    const files = filesOf(row);
    const next = change(files);
    if (!next) return files;
    await trx
      .updateTable('tasks')
      .set({ media: JSON.stringify(next) })
      .where('id', '=', taskId)
      .execute();
    return next;
  });
}
