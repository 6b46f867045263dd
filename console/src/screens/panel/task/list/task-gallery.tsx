import type { Task } from '@relay-hub/contract';
import { Expand, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { ListTime } from '#ui/format/list-time.tsx';
import { useTranslation } from '#i18n/use-translation.ts';
import { Chip } from '#ui/basic/chip.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { kindIcons, kindOf, subjectOf, useActionName } from '#screens/panel/task/task-look.ts';
import { pictureOf, TaskCost, TaskDuration, TaskStatusCell } from './task-cells.tsx';

interface Props {
  label: string;
  /** Undefined while they load. */
  tasks: readonly Task[] | undefined;
  busy: boolean;
  activeId: number;
  onOpen: (task: Task) => void;
}

const grid = 'grid grid-cols-[repeat(auto-fill,minmax(min(236px,calc(50%-4px)),1fr))] gap-4 max-sm:gap-2';

/** Image tasks as cards with their pictures. */
export function TaskGallery({ label, tasks, busy, activeId, onOpen }: Props) {
  return (
    <ul aria-label={label} aria-busy={busy || !tasks} className={cx(grid, busy && 'opacity-60')}>
      {tasks?.map((task) => (
        <GalleryCard key={task.id} task={task} active={task.id === activeId} onOpen={onOpen} />
      ))}
      {!tasks && Array.from({ length: 8 }, (_, index) => <SkeletonCard key={index} />)}
    </ul>
  );
}

function GalleryCard({ task, active, onOpen }: { task: Task; active: boolean; onOpen: (task: Task) => void }) {
  const { t } = useTranslation('task');
  const actionName = useActionName();
  const subject = subjectOf(task, t);
  return (
    <li
      className={cx(
        'group relative flex min-w-0 flex-col overflow-hidden rounded-card border bg-card transition-shadow has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus hover:shadow-menu',
        active ? 'border-accent-line' : 'border-line',
      )}
    >
      <Picture task={task} />
      <div className="flex flex-1 flex-col gap-2 px-3.5 py-3 max-sm:px-2.5 max-sm:py-2">
        {/* The button covers the card, so that a press anywhere opens it. */}
        <button
          type="button"
          data-card
          onClick={() => onOpen(task)}
          className="flex min-h-9 items-start text-left text-13/4.5 outline-none after:absolute after:inset-0 after:content-['']"
        >
          <span className="line-clamp-2 break-words">{subject}</span>
        </button>
        <div className="mt-auto flex min-w-0 items-center gap-2 text-12 text-text2">
          <Chip>{actionName(task.action)}</Chip>
          <span className="min-w-0 truncate max-sm:hidden">{task.username}</span>
          <span className="ml-auto flex-none">
            <ListTime at={task.submit_time} brief />
          </span>
        </div>
        <div className="flex min-h-5 min-w-0 flex-wrap items-center gap-x-1.5 text-13">
          <TaskStatusCell task={task} plain />
          <span className="max-sm:hidden">
            <TaskDuration task={task} />
          </span>
          <span className="ml-auto flex-none">
            <TaskCost task={task} />
          </span>
        </div>
      </div>
    </li>
  );
}

/** The whole picture; why there is none if the task failed. */
function Picture({ task }: { task: Task }) {
  const { t } = useTranslation('task');
  const [broken, setBroken] = useState(false);
  const picture = pictureOf(task);
  const failed = task.status === 'FAILURE' || task.status === 'CANCEL';
  return (
    <span className="relative grid aspect-[16/10] w-full place-items-center overflow-hidden bg-sunk max-sm:aspect-square">
      {failed ? (
        <span className="grid justify-items-center gap-2 px-4 text-center text-13 text-bad">
          <Icon of={TriangleAlert} size={18} />
          <span className="line-clamp-3 break-words">{task.fail_reason || t(`statuses.${task.status}`)}</span>
        </span>
      ) : picture !== undefined && !broken ? (
        <>
          <img
            src={picture}
            alt=""
            loading="lazy"
            decoding="async"
            onError={() => setBroken(true)}
            className="absolute inset-0 size-full object-contain"
          />
          <span
            aria-hidden
            className="absolute right-2 bottom-2 grid size-8 place-items-center rounded-control bg-card text-text2 opacity-0 shadow-menu transition-opacity group-focus-within:opacity-100 group-hover:opacity-100 max-sm:hidden"
          >
            <Icon of={Expand} />
          </span>
        </>
      ) : (
        <span className="grid justify-items-center gap-2 text-12 text-text3">
          <Icon of={kindIcons[kindOf(task)]} size={18} />
          {t('noResult')}
        </span>
      )}
    </span>
  );
}

function SkeletonCard() {
  return (
    <li className="overflow-hidden rounded-card border border-line bg-card">
      <span className="block aspect-[16/10] bg-fill max-sm:aspect-square" />
      <span className="grid h-26 content-center gap-3 px-3.5">
        <Skeleton width="80%" />
        <Skeleton width="55%" />
      </span>
    </li>
  );
}
