import type { Task } from '@relay-hub/contract';
import { getRouteApi } from '@tanstack/react-router';
import { Download, Expand, Image, List } from 'lucide-react';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { rowId, useListScreen } from '#list/use-list-screen.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { PageHeader } from '#ui/basic/page-header.tsx';
import { isPhone, useIsPhone } from '#ui/basic/use-media.ts';
import { Segmented } from '#ui/form/segmented.tsx';
import { DataTable } from '#ui/table/data-table.tsx';
import { storage } from '#api/storage.ts';
import { createStore, useStore } from '#api/store.ts';
import { FirstTask } from './list/first-task.tsx';
import { RunningTasks } from './list/running-tasks.tsx';
import { TaskGallery } from './list/task-gallery.tsx';
import { useTaskColumns } from './list/use-task-columns.tsx';
import { useTaskMenu } from './list/use-task-menu.tsx';
import { fileName } from './media/media-address.ts';
import { isOpen, subjectOf } from './task-look.ts';
import { useTaskList } from './use-task-list.tsx';

/** How image tasks are shown. */
const taskViews = ['gallery', 'list'] as const;
type TaskView = (typeof taskViews)[number];

const key = 'taskView';
const chosen = createStore<TaskView>(storage.get(key) === 'list' ? 'list' : 'gallery');

/** The view that was chosen last in this browser. */
const useTaskView = (): TaskView => useStore(chosen);

function chooseTaskView(view: TaskView): void {
  storage.set(key, view);
  chosen.set(view);
}

const ImageView = lazy(async () => ({ default: (await import('./detail/image-view.tsx')).ImageView }));
const CancelTask = lazy(async () => ({ default: (await import('./detail/cancel-task.tsx')).CancelTask }));
const loadCard = () => import('./list/task-card.tsx');
const TaskCard = lazy(async () => ({ default: (await loadCard()).TaskCard }));
if (isPhone()) void loadCard();

const route = getRouteApi('/panel/midjourney');
const viewIcons = { gallery: Image, list: List };

/** Image tasks, as a gallery or as a table. */
export function ImageScreen() {
  const { t } = useTranslation('task');
  const phone = useIsPhone();
  const { search, go } = useListScreen(route.useSearch(), route.useNavigate());
  const { reader, rows, table, controls, toolbar, announcement, open, show } = useTaskList({
    kind: 'image',
    search,
    go,
  });
  const view = useTaskView();
  const [cancelling, setCancelling] = useState<Task>();
  const columns = useTaskColumns(reader);
  const menu = useTaskMenu({ onOpen: open, onCancel: setCancelling });
  const running = useMemo(() => rows.filter(isOpen), [rows]);
  const card = useCallback((task: Task) => <TaskCard task={task} />, []);
  const actions = useCallback((task: Task) => <RowActions task={task} onOpen={open} />, [open]);
  const gallery = (tasks: readonly Task[] | undefined, busy: boolean) => (
    <div className="grid grid-cols-1 gap-4 max-sm:gap-2">
      {running.length > 0 && <RunningTasks tasks={running} onOpen={open} />}
      {(!tasks || tasks.length > running.length) && (
        <TaskGallery
          label={t('imageTitle')}
          tasks={tasks?.filter((task) => !isOpen(task))}
          busy={busy}
          activeId={search.id}
          onOpen={open}
        />
      )}
    </div>
  );
  return (
    <>
      <PageHeader title={t('imageTitle')} text={phone ? undefined : t('imageText')}>
        {!phone && (
          <>
            {controls}
            <ViewSwitch view={view} />
          </>
        )}
      </PageHeader>
      {announcement}
      <DataTable
        name="midjourney"
        label={t('imageTitle')}
        columns={columns}
        page={table}
        search={search}
        onSearch={go}
        keyOf={rowId}
        nameOf={(task) => subjectOf(task, t)}
        toolbar={phone ? { ...toolbar, children: <ViewSwitch view={view} iconsOnly /> } : toolbar}
        empty={<FirstTask kind="image" />}
        onOpen={open}
        activeKey={search.id || undefined}
        rowMenu={menu}
        rowActions={actions}
        actionsWidth={112}
        card={card}
        body={view === 'gallery' ? gallery : undefined}
      />
      <Suspense>
        {search.id > 0 && <ImageView id={search.id} rows={rows} reader={reader} onGo={show} onCancel={setCancelling} />}
        {cancelling && <CancelTask task={cancelling} reader={reader} onClose={() => setCancelling(undefined)} />}
      </Suspense>
    </>
  );
}

function ViewSwitch({ view, iconsOnly = false }: { view: TaskView; iconsOnly?: boolean }) {
  const { t } = useTranslation('task');
  return (
    <Segmented
      label={t('view')}
      value={view}
      options={taskViews.map((value) => ({
        value,
        label: (
          <span className="inline-flex items-center gap-1.5">
            <Icon of={viewIcons[value]} size={14} />
            <span className={iconsOnly ? 'sr-only' : undefined}>{t(value)}</span>
          </span>
        ),
      }))}
      onChange={chooseTaskView}
    />
  );
}

function RowActions({ task, onOpen }: { task: Task; onOpen: (task: Task) => void }) {
  const { t } = useTranslation('task');
  const [file] = task.media;
  return (
    <>
      <IconButton label={t('large')} icon={Expand} size="sm" onClick={() => onOpen(task)} />
      {file && (
        <IconButton
          label={t('download')}
          icon={Download}
          size="sm"
          render={<a href={file.url} download={fileName(task, file)} />}
        />
      )}
    </>
  );
}
