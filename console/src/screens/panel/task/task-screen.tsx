import type { Task } from '@relay-hub/contract';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { rowId, useListScreen } from '#list/use-list-screen.ts';
import { PageHeader } from '#ui/basic/page-header.tsx';
import { isPhone, useIsPhone } from '#ui/basic/use-media.ts';
import { useRowInSight } from '#ui/table/active-row.ts';
import { DataTable } from '#ui/table/data-table.tsx';
import { FirstTask } from './list/first-task.tsx';
import { useTaskColumns } from './list/use-task-columns.tsx';
import { useTaskMenu } from './list/use-task-menu.tsx';
import { subjectOf } from './task-look.ts';
import { useTaskList } from './use-task-list.tsx';

const TaskDetail = lazy(async () => ({ default: (await import('./detail/task-detail.tsx')).TaskDetail }));
const CancelTask = lazy(async () => ({ default: (await import('./detail/cancel-task.tsx')).CancelTask }));
const loadCard = () => import('./list/task-card.tsx');
const TaskCard = lazy(async () => ({ default: (await loadCard()).TaskCard }));
if (isPhone()) void loadCard();

const route = getRouteApi('/panel/task');

/** Music, lyrics and video tasks; a task opens next to the list. */
export function TaskScreen() {
  const { t } = useTranslation('task');
  const phone = useIsPhone();
  const { search, go } = useListScreen(route.useSearch(), route.useNavigate());
  const { id } = search;
  const { reader, rows, table, controls, toolbar, announcement, open, show } = useTaskList({
    kind: 'other',
    search,
    go,
  });
  const [cancelling, setCancelling] = useState<Task>();
  const menu = useTaskMenu({ onOpen: open, onCancel: setCancelling });
  const columns = useTaskColumns(reader);
  const card = useCallback((task: Task) => <TaskCard task={task} />, []);
  useRowInSight(id);
  return (
    <>
      <PageHeader title={t('title')} text={phone ? undefined : t('text')}>
        {controls}
      </PageHeader>
      {announcement}
      <DataTable
        name="task"
        label={t('title')}
        columns={columns}
        page={table}
        search={search}
        onSearch={go}
        keyOf={rowId}
        nameOf={(task) => subjectOf(task, t)}
        toolbar={toolbar}
        empty={<FirstTask kind="other" />}
        onOpen={(task) => (id > 0 ? show(task.id) : open(task))}
        activeKey={id || undefined}
        rowMenu={menu}
        card={card}
      />
      <Suspense>
        {id > 0 && <TaskDetail id={id} rows={rows} reader={reader} onGo={show} onCancel={setCancelling} />}
        {cancelling && <CancelTask task={cancelling} reader={reader} onClose={() => setCancelling(undefined)} />}
      </Suspense>
    </>
  );
}
