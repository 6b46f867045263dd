import type { Task } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { Badge } from '#ui/basic/badge.tsx';
import { Card } from '#ui/basic/card.tsx';
import { Chip } from '#ui/basic/chip.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { Status } from '#ui/feedback/status.tsx';
import { Money } from '#ui/format/money.tsx';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';
import { useNow } from '#ui/format/use-now.ts';
import { formatDuration, secondsOf, statusKinds, subjectOf, useActionName } from '#screens/panel/task/task-look.ts';
import { isRunning, TaskProgress, TaskThumb } from './task-cells.tsx';

interface Props {
  tasks: readonly Task[];
  onOpen: (task: Task) => void;
}

/** Unfinished tasks as rows above a gallery. */
export function RunningTasks({ tasks, onOpen }: Props) {
  const { t } = useTranslation('task');
  const charged = tasks.reduce((sum, { quota }) => sum + quota, 0);
  return (
    <Card aria-labelledby="running-tasks" className="overflow-hidden">
      <div className="flex min-h-11 flex-wrap items-center gap-x-2 px-4 py-2">
        <h2 id="running-tasks" className="text-14">
          {t('running')}
        </h2>
        <Badge>{tasks.length}</Badge>
        {charged > 0 && (
          <span className="ml-auto text-12 text-text2">
            <TextWithElements text={t('chargedUntil')} parts={{ amount: <Money credits={charged} /> }} />
          </span>
        )}
      </div>
      <ul>
        {tasks.map((task) => (
          <RunningRow key={task.id} task={task} onOpen={onOpen} />
        ))}
      </ul>
    </Card>
  );
}

function RunningRow({ task, onOpen }: { task: Task; onOpen: (task: Task) => void }) {
  const { t } = useTranslation('task');
  const phone = useIsPhone();
  const actionName = useActionName();
  const now = useNow(1);
  const time = formatDuration(secondsOf(task, now), t);
  const elapsed = phone ? time : t('elapsed', { time });
  const state = isRunning(task) ? (
    <TaskProgress task={task} wide={!phone} />
  ) : (
    <Status kind={statusKinds[task.status]} text={t(`statuses.${task.status}`)} />
  );
  return (
    <li className="relative flex min-h-11 items-center gap-3 border-t border-line px-4 py-1.5 text-13 hover:bg-hover has-focus-visible:-outline-offset-2 has-focus-visible:outline-2 has-focus-visible:outline-focus">
      <TaskThumb task={task} />
      <span className="grid min-w-0 flex-1 items-center gap-x-3 sm:flex">
        <button
          type="button"
          onClick={() => onOpen(task)}
          className="min-w-0 flex-1 truncate text-left outline-none after:absolute after:inset-0 after:content-['']"
        >
          {subjectOf(task, t)}
        </button>
        {!phone && (
          <>
            <span className="flex w-55 flex-none items-center gap-2 text-12 text-text2">
              <Chip>{actionName(task.action)}</Chip>
              <span className="truncate">{task.username}</span>
            </span>
            <span className="w-64 flex-none">{state}</span>
          </>
        )}
        {phone && state}
      </span>
      <span className="flex-none sm:min-w-24 text-right text-12 text-text2 tabular-nums">{elapsed}</span>
    </li>
  );
}
