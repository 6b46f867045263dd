import { isFinalTask, type Task } from '@relay-hub/contract';
import { TriangleAlert, Undo2 } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { ProgressBar } from '#ui/feedback/progress-bar.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { Money } from '#ui/format/money.tsx';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';
import { useNow } from '#ui/format/use-now.ts';
import {
  formatDuration,
  isSlow,
  kindIcons,
  kindOf,
  secondsOf,
  statusKinds,
  subjectOf,
} from '#screens/panel/task/task-look.ts';

interface Props {
  task: Task;
}

export const pictureOf = ({ media }: Pick<Task, 'media'>): string | undefined => {
  const first = media.find(({ kind, url, cover }) => (kind === 'image' ? url : cover) !== '');
  return first && (first.kind === 'image' ? first.url : first.cover);
};

/** The picture of a task, small; without one, the icon of its kind or of its failure. */
export function TaskThumb({ task, square = false }: Props & { square?: boolean }) {
  const picture = pictureOf(task);
  const failed = task.status === 'FAILURE';
  const unfinished = !isFinalTask(task.status);
  return (
    <span
      className={cx(
        'grid flex-none place-items-center overflow-hidden rounded-tile bg-fill',
        square ? 'size-8' : 'h-8 w-12',
      )}
    >
      {picture !== undefined && !failed ? (
        <img
          src={picture}
          alt=""
          loading="lazy"
          decoding="async"
          className={cx('size-full object-cover', unfinished && 'blur-[1px]')}
        />
      ) : (
        <Icon of={failed ? TriangleAlert : kindIcons[kindOf(task)]} className={failed ? 'text-bad' : 'text-text3'} />
      )}
    </span>
  );
}

export const isRunning = ({ status }: Pick<Task, 'status'>): boolean => status === 'IN_PROGRESS';

/** State as icon and word, or as a bar while the task runs; below a failure, what was returned. */
export function TaskStatusCell({ task, plain = false }: Props & { plain?: boolean }) {
  const { t } = useTranslation('task');
  if (isRunning(task)) return <TaskProgress task={task} />;
  return (
    <Status
      kind={statusKinds[task.status]}
      text={t(`statuses.${task.status}`)}
      detail={!plain && task.refunded ? <RefundText task={task} /> : undefined}
    />
  );
}

/** Progress as a bar and a number. */
export function TaskProgress({ task, wide = false }: Props & { wide?: boolean }) {
  const { t } = useTranslation('task');
  const percent = t('percent', { percent: task.progress });
  return (
    <span className="inline-flex max-w-full items-center gap-2.5 align-middle tabular-nums">
      <ProgressBar
        value={task.progress}
        max={100}
        label={t('progressOf', { name: subjectOf(task, t) })}
        text={percent}
        className={wide ? 'w-50' : 'w-16'}
      />
      <span aria-hidden className="w-11 text-13">
        {percent}
      </span>
    </span>
  );
}

/** "refunded $0.35". */
export function RefundText({ task }: Props) {
  const { t } = useTranslation('task');
  return <TextWithElements text={t('refundedSum')} parts={{ amount: <Money credits={task.quota} /> }} />;
}

/** The charge; struck through once it was returned. */
export function TaskCost({ task, stacked = false }: Props & { stacked?: boolean }) {
  const { t } = useTranslation('task');
  if (!task.refunded) return <Money credits={task.quota} className={cx(!isFinalTask(task.status) && 'text-text2')} />;
  if (!stacked)
    return (
      <span className="inline-flex items-center gap-1 text-text2">
        <Icon of={Undo2} size={14} />
        <RefundText task={task} />
      </span>
    );
  return (
    <>
      <s className="block leading-4 text-text3">
        <Money credits={task.quota} />
      </s>
      <span className="block text-12/4 text-text2">{t('refunded')}</span>
    </>
  );
}

/** Time from submission to the end; runs while the task does. */
export function TaskDuration({ task }: Props) {
  return isFinalTask(task.status) ? <Seconds task={task} now={task.finish_time} /> : <RunningSeconds task={task} />;
}

const RunningSeconds = ({ task }: Props) => <Seconds task={task} now={useNow(1)} />;

function Seconds({ task, now }: Props & { now: number }) {
  const { t } = useTranslation('task');
  return (
    <span className={cx('tabular-nums', isSlow(task, now) ? 'text-warn' : 'text-text2')}>
      {formatDuration(secondsOf(task, now), t)}
    </span>
  );
}

/** Name of a task; below it, its failure or what it makes. */
export function TaskName({ task, below }: Props & { below: string }) {
  const { t } = useTranslation('task');
  const failed = task.status === 'FAILURE' && task.fail_reason !== '';
  return (
    <span className="flex min-w-0 items-center gap-3">
      <TaskThumb task={task} square={kindOf(task) !== 'image'} />
      <span className="grid min-w-0 text-13/4.5">
        <span className="truncate">{subjectOf(task, t)}</span>
        <span className={cx('truncate text-12/4', failed ? 'text-bad' : 'text-text3')}>
          {failed ? task.fail_reason : below}
        </span>
      </span>
    </span>
  );
}
