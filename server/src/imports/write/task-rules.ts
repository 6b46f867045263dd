import type { ArrivingTask } from '#imports/read/read-tasks.ts';
import type { ImportRun, RecordRules } from './record-rules.ts';
import { rowsHere } from './rows-here.ts';

interface PreparedTask {
  userId: number;
  taskId: string;
}

const columns = ['status', 'quota', 'hidden_at'] as const;

/** Ended tasks are history: their charges are part of the opening balance, and no channel is asked about them. */
export async function taskRules(run: ImportRun): Promise<RecordRules<ArrivingTask, PreparedTask>> {
  const { db, ids, report, source, now } = run;
  const taken = new Set((await db.selectFrom('tasks').select('task_id').execute()).map(({ task_id }) => task_id));
  const keyOf = ({ table, oldId }: ArrivingTask): string => (table === 'tasks' ? String(oldId) : `image ${oldId}`);
  return {
    kind: 'task',
    key: keyOf,
    label: ({ task_id }) => `task ${task_id}`,
    state: ({ status, quota }) => ({ status, quota }),
    figures: () => ({}),
    prepare: (task) => {
      const userId = ids.user.get(task.user);
      if (userId === undefined) {
        report.remark('task_unknown', `task ${task.task_id}: it has no owner`);
        return undefined;
      }
      // Ids of several upstreams can be equal.
      const isFree = task.task_id !== '' && !taken.has(task.task_id);
      const taskId = isFree ? task.task_id : `${task.task_id}${source}-${keyOf(task).replace(' ', '-')}`;
      taken.add(taskId);
      return { userId, taskId };
    },
    add: async (trx, task, { userId, taskId }) => {
      const { platform, action, model, mode, code, status, start_ms, finish_ms, fail_reason, quota } = task;
      const { prompt, prompt_en, description, state, image_url, data, properties, media } = task;
      const submit_ms = task.submit_ms || finish_ms || now * 1000;
      const { id } = await trx
        .insertInto('tasks')
        .values({
          platform,
          action,
          model,
          mode,
          code,
          status,
          submit_ms,
          start_ms,
          finish_ms,
          fail_reason,
          quota,
          prompt,
          prompt_en,
          description,
          state,
          image_url,
          task_id: taskId,
          progress: 100,
          data: data === null ? null : JSON.stringify(data),
          properties: JSON.stringify(properties),
          media: JSON.stringify(media),
          created_at: Math.floor(submit_ms / 1000),
          updated_at: Math.floor((finish_ms || submit_ms) / 1000),
          user_id: userId,
          token_id: ids.token.get(task.token) ?? 0,
          channel_id: ids.channel.get(task.channel) ?? 0,
          request_id: '',
          key_id: 0,
          key_cipher: '',
          base_url: '',
          next_poll_at: 0,
          deadline: 0,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    change: async (trx, { status, quota }, id) => {
      await trx.updateTable('tasks').set({ status, quota }).where('id', '=', id).execute();
    },
    here: (database, newIds) => rowsHere(database, 'tasks', columns, newIds),
  };
}
