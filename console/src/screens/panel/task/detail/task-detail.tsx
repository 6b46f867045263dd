import type { Task } from '@relay-hub/contract';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { activeRow } from '#ui/table/active-row.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { TabPanel, Tabs } from '#ui/basic/tabs.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Time } from '#ui/format/time.tsx';
import { DetailDrawer } from '#ui/overlay/detail-drawer.tsx';
import { TaskDuration, TaskStatusCell } from '#screens/panel/task/list/task-cells.tsx';
import { kindIcons, kindOf, subjectOf } from '#screens/panel/task/task-look.ts';
import type { TaskReader } from '#screens/panel/task/task-search.ts';
import { TaskFooter } from './task-footer.tsx';
import { TaskResult } from './task-result.tsx';
import { useOpenTask } from './use-open-task.ts';

const RawResponse = lazy(async () => ({ default: (await import('./raw-response.tsx')).RawResponse }));

interface Props {
  id: number;
  rows: readonly Task[];
  reader: TaskReader;
  /** Shows another task; 0 closes. */
  onGo: (id: number) => void;
  onCancel: (task: Task) => void;
}

const tabs = ['result', 'raw'] as const;

/** A music, lyrics or video task, open next to the list. */
export function TaskDetail({ id, rows, reader, onGo, onCancel }: Props) {
  const { t } = useTranslation(['taskDetail', 'task']);
  const [tab, setTab] = useState<(typeof tabs)[number]>('result');
  const { query, task, previous, next } = useOpenTask({ id, rows, reader });
  return (
    <DetailDrawer
      wide
      returnTo={activeRow}
      title={task ? subjectOf(task, t) : t('task:task')}
      subtitle={task && <Subtitle task={task} />}
      tile={
        task && (
          <span className="grid size-8 flex-none place-items-center rounded-tile bg-fill text-text2">
            <Icon of={kindIcons[kindOf(task)]} />
          </span>
        )
      }
      onPrevious={previous && (() => onGo(previous.id))}
      onNext={next && (() => onGo(next.id))}
      footer={
        task && (
          <TaskFooter task={task} file={task.media.length === 1 ? task.media[0] : undefined} onCancel={onCancel} />
        )
      }
      onClose={() => onGo(0)}
    >
      {query.error && !task && (
        <ErrorState text={query.error.message} busy={query.isFetching} onRetry={() => void query.refetch()} />
      )}
      {!query.error && !task && <Loading />}
      {task && (
        <>
          <Tabs
            id="task-detail"
            label={t('views')}
            value={tab}
            tabs={tabs.map((value) => ({ value, label: t(value) }))}
            onChange={setTab}
            className="-mt-2"
          />
          <TabPanel id="task-detail" value={tab} className="pt-4">
            {tab === 'result' ? (
              <TaskResult key={task.id} task={task} reader={reader} />
            ) : (
              <Suspense fallback={<Loading />}>
                <RawResponse task={task} />
              </Suspense>
            )}
          </TabPanel>
        </>
      )}
    </DetailDrawer>
  );
}

function Subtitle({ task }: { task: Task }) {
  const phone = useIsPhone();
  return (
    <>
      <TaskStatusCell task={task} plain />
      {!phone && <Time at={task.submit_time} />}
      <TaskDuration task={task} />
    </>
  );
}

function Loading() {
  return (
    <div className="grid grid-cols-1 gap-5">
      <Skeleton className="h-36 rounded-card" width="100%" />
      <Skeleton className="h-50 rounded-card" width="100%" />
    </div>
  );
}
