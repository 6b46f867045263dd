import type { Task } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useTokenName } from '#domain/token/use-token-name.ts';
import { CopyButton } from '#ui/basic/copy-button.tsx';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import { cx } from '#ui/basic/cx.ts';
import { DetailSection } from '#ui/overlay/detail-section.tsx';
import { TaskCost, TaskDuration } from '#screens/panel/task/list/task-cells.tsx';
import { kindOf, useActionName } from '#screens/panel/task/task-look.ts';
import type { TaskReader } from '#screens/panel/task/task-search.ts';

interface Props {
  task: Task;
  reader: TaskReader;
  /** In one column, for narrow places. */
  narrow?: boolean;
  /** Further facts at the end. */
  children?: ReactNode;
}

const link = 'touch truncate rounded-tile text-accent hover:underline';

/** Id, kind, times, charge; for administrators user and channel, with links. */
export function TaskFacts({ task, reader, narrow = false, children }: Props) {
  const { t } = useTranslation(['taskDetail', 'task']);
  const actionName = useActionName();
  const tokenName = useTokenName();
  const { task_id: id, mode, username, channel_id: channelId } = task;
  return (
    <DetailSection title={t('details')}>
      <dl className={cx('grid gap-x-6 text-13', narrow ? 'grid-cols-1' : 'grid-cols-2 max-sm:grid-cols-1')}>
        <TaskFact name={t('id')} wide>
          <span className="flex min-w-0 items-center font-mono text-12">
            <MiddleCut text={id} tail={12} />
            <CopyButton text={id} name={t('id')} className="-my-1.5" />
          </span>
        </TaskFact>
        <TaskFact name={t('kind')}>
          {actionName(task.action)}
          {mode && ` · ${t(`modes.${mode}`)}`}
        </TaskFact>
        <TaskFact name={t('charged')}>
          <TaskCost task={task} />
        </TaskFact>
        {kindOf(task) !== 'image' && <TaskFact name={t('platform')}>{t(`task:platforms.${task.platform}`)}</TaskFact>}
        <TaskFact name={t('model')}>
          {reader.admin ? (
            <Link to="/panel/pricing" search={{ show: task.model }} className={cx(link, 'flex min-w-0')}>
              <MiddleCut text={task.model} />
            </Link>
          ) : (
            <MiddleCut text={task.model} />
          )}
        </TaskFact>
        <TaskFact name={t('duration')}>
          <TaskDuration task={task} />
        </TaskFact>
        {reader.admin && (
          <TaskFact name={t('user')}>
            <Link to="/panel/user" search={{ show: task.user_id }} className={link}>
              {username}
            </Link>
          </TaskFact>
        )}
        {task.token_name !== '' && (
          <TaskFact name={t('token')}>
            <Link
              to="/panel/token"
              search={
                reader.admin && username !== reader.username
                  ? { scope: 'all', show: task.token_id }
                  : { show: task.token_id }
              }
              className={link}
            >
              {tokenName(task.token_name)}
            </Link>
          </TaskFact>
        )}
        {channelId > 0 && (
          <TaskFact name={t('channel')}>
            <Link to="/panel/channel" search={{ show: channelId }} className={link}>
              {task.channel_name || `#${channelId}`}
            </Link>
          </TaskFact>
        )}
        {task.parent_task_id !== '' && (
          <TaskFact name={t('parent')}>
            <Link to="." search={{ keyword: task.parent_task_id }} className={cx(link, 'font-mono text-12')}>
              {task.parent_task_id}
            </Link>
          </TaskFact>
        )}
        {children}
      </dl>
    </DetailSection>
  );
}

export function TaskFact({ name, wide = false, children }: { name: string; wide?: boolean; children: ReactNode }) {
  return (
    <div
      className={cx(
        'grid min-h-8 min-w-0 grid-cols-[96px_minmax(0,1fr)] items-center tabular-nums',
        wide && 'col-span-full',
      )}
    >
      <dt className="text-text2">{name}</dt>
      <dd className="flex min-w-0 items-center break-words">{children}</dd>
    </div>
  );
}
