import type { Task } from '@relay-hub/contract';
import { ListTime } from '#ui/format/list-time.tsx';
import { useTranslation } from '#i18n/use-translation.ts';
import { subjectOf } from '#screens/panel/task/task-look.ts';
import { TaskCost, TaskDuration, TaskStatusCell, TaskThumb } from './task-cells.tsx';
import { useTaskNote } from './use-task-note.ts';

/** A task on phones. */
export function TaskCard({ task }: { task: Task }) {
  const { t } = useTranslation('task');
  const note = useTaskNote();
  const failed = task.status === 'FAILURE' && task.fail_reason !== '';
  return (
    <>
      <div className="flex items-center gap-3">
        <TaskThumb task={task} square={task.platform !== 'midjourney'} />
        <span className="grid min-w-0 flex-1">
          <span className="truncate text-15">{subjectOf(task, t)}</span>
          <span className={failed ? 'truncate text-12 text-bad' : 'truncate text-12 text-text3'}>
            {failed ? task.fail_reason : [note(task), task.username].filter(Boolean).join(' · ')}
          </span>
        </span>
        <span className="flex-none text-15 font-title">
          {task.refunded ? <TaskCost task={task} stacked /> : <TaskCost task={task} />}
        </span>
      </div>
      <div className="mt-2 flex items-center gap-2 text-13">
        <TaskStatusCell task={task} plain />
        <TaskDuration task={task} />
        <span className="ml-auto">
          <ListTime at={task.submit_time} brief />
        </span>
      </div>
    </>
  );
}
