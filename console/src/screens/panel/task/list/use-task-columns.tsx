import type { Task } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { ListTime } from '#ui/format/list-time.tsx';
import { useTranslation } from '#i18n/use-translation.ts';
import { Chip } from '#ui/basic/chip.tsx';
import type { Column } from '#ui/table/table-column.ts';
import { useActionName } from '#screens/panel/task/task-look.ts';
import type { TaskReader } from '#screens/panel/task/task-search.ts';
import { TaskCost, TaskDuration, TaskName, TaskStatusCell } from './task-cells.tsx';
import { useTaskNote } from './use-task-note.ts';

const right = { align: 'right' } as const;

export function useTaskColumns({ admin, kind }: TaskReader): Column<Task>[] {
  const { t } = useTranslation('task');
  const actionName = useActionName();
  const note = useTaskNote();
  return useMemo(() => {
    const forAdmins: Column<Task>[] = [
      {
        id: 'user_id',
        head: t('user'),
        width: 104,
        sortable: true,
        cell: ({ username }) => <span className="text-text2">{username}</span>,
      },
      { id: 'channel_id', head: t('channel'), width: 116, sortable: true, cell: (task) => <ChannelLink task={task} /> },
    ];
    return [
      {
        id: 'task',
        head: t('task'),
        hideable: false,
        least: 230,
        cell: (task) => <TaskName task={task} below={note(task)} />,
      },
      kind === 'image'
        ? { id: 'action', head: t('kind'), width: 104, cell: ({ action }) => <Chip>{actionName(action)}</Chip> }
        : {
            id: 'platform',
            head: t('platform'),
            width: 104,
            sortable: true,
            cell: ({ platform }) => <span className="text-text2">{t(`platforms.${platform}`)}</span>,
          },
      {
        id: 'status',
        head: t('status'),
        width: 136,
        cell: (task) => <TaskStatusCell task={task} plain />,
      },
      ...(admin ? forAdmins : []),
      {
        id: 'submit_time',
        head: t('submitted'),
        width: 106,
        sortable: true,
        descFirst: true,
        cell: ({ submit_time }) => <ListTime at={submit_time} brief />,
      },
      { id: 'duration', head: t('duration'), width: 92, ...right, cell: (task) => <TaskDuration task={task} /> },
      { id: 'quota', head: t('cost'), width: 80, ...right, cell: (task) => <TaskCost task={task} stacked /> },
    ];
  }, [t, admin, kind, actionName, note]);
}

function ChannelLink({ task: { channel_id: id, channel_name: name } }: { task: Task }) {
  if (id === 0) return null;
  return (
    <Link
      to="/panel/channel"
      search={{ show: id }}
      className="block truncate rounded-tile text-text2 hover:text-accent hover:underline"
    >
      {name || `#${id}`}
    </Link>
  );
}
