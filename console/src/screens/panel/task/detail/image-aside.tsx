import type { Task, TaskMedia } from '@relay-hub/contract';
import { lazy, Suspense, useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { TabPanel, Tabs } from '#ui/basic/tabs.tsx';
import { TaskDuration, TaskStatusCell } from '#screens/panel/task/list/task-cells.tsx';
import type { TaskReader } from '#screens/panel/task/task-search.ts';
import { Button } from '#ui/basic/button.tsx';
import { CopyButton } from '#ui/basic/copy-button.tsx';
import { FollowUps, useCanSend } from './follow-ups.tsx';
import { TaskEntries } from './task-entries.tsx';
import { TaskFooter } from './task-footer.tsx';
import { TaskFact, TaskFacts } from './task-facts.tsx';
import { TaskOutcome } from './task-outcome.tsx';
import { TaskTimeline } from './task-timeline.tsx';
import { TextPart } from './text-part.tsx';
import { fetchSeed } from './call-relay.ts';

const RawResponse = lazy(async () => ({ default: (await import('./raw-response.tsx')).RawResponse }));

interface Props {
  task: Task;
  reader: TaskReader;
  file: TaskMedia | undefined;
  onCancel: (task: Task) => void;
}

const tabs = ['result', 'raw'] as const;

/** Follow-ups, prompts and facts next to a picture. */
export function ImageAside({ task, reader, file, onCancel }: Props) {
  const { t } = useTranslation('taskDetail');
  const [tab, setTab] = useState<(typeof tabs)[number]>('result');
  return (
    <>
      <div className="flex flex-none flex-wrap items-center gap-x-2 px-5 pb-1 text-13 max-sm:px-4">
        <TaskStatusCell task={task} plain />
        <TaskDuration task={task} />
      </div>
      <Tabs
        id="image-view"
        label={t('views')}
        value={tab}
        tabs={tabs.map((value) => ({ value, label: t(value) }))}
        onChange={setTab}
        className="flex-none px-5 max-sm:px-4"
      />
      {/* A scroll area must be reachable by keyboard. */}
      <div
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto px-5 pb-5 -outline-offset-2 max-md:overflow-visible max-sm:px-4"
      >
        <TabPanel id="image-view" value={tab}>
          {tab === 'result' ? (
            <>
              {file && task.status !== 'SUCCESS' && (
                <div className="mt-4">
                  <TaskOutcome task={task} />
                </div>
              )}
              <FollowUps task={task} />
              <TextPart title={t('prompt')} text={task.prompt} />
              <TextPart title={t('promptEn')} text={task.prompt_en === task.prompt ? '' : task.prompt_en} />
              {task.action === 'DESCRIBE' && <TextPart title={t('description')} text={task.description} />}
              <TaskTimeline task={task} />
              <TaskEntries task={task} reader={reader} />
              <TaskFacts task={task} reader={reader} narrow>
                <Seed task={task} />
              </TaskFacts>
            </>
          ) : (
            <Suspense>
              <div className="pt-4">
                <RawResponse task={task} />
              </div>
            </Suspense>
          )}
        </TabPanel>
      </div>
      <div className="flex min-h-16 flex-none flex-wrap items-center justify-end gap-2 border-t border-line px-5 py-3 max-sm:px-4">
        <TaskFooter task={task} file={file} onCancel={onCancel} />
      </div>
    </>
  );
}

/** The seed of a picture, fetched on demand; absent where the reader cannot ask for it. */
function Seed({ task }: { task: Task }) {
  const { t } = useTranslation('taskDetail');
  const canSend = useCanSend(task);
  const seed = useMutation({ mutationFn: () => fetchSeed(task) });
  if (!canSend || task.status !== 'SUCCESS') return null;
  return (
    <TaskFact name={t('seed')}>
      {seed.data === undefined ? (
        <Button size="sm" busy={seed.isPending} onClick={() => seed.mutate()}>
          {t('getSeed')}
        </Button>
      ) : (
        <span className="flex items-center font-mono text-12">
          {seed.data}
          <CopyButton text={seed.data} name={t('seed')} className="-my-1.5" />
        </span>
      )}
    </TaskFact>
  );
}
