import { isFinalTask, type Task } from '@relay-hub/contract';
import { Ban, CircleHelp, Hourglass, TriangleAlert } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { Money } from '#ui/format/money.tsx';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';
import { TaskProgress } from '#screens/panel/task/list/task-cells.tsx';

/** Why there is no result, in words, and what became of the charge; progress while it is coming. */
export function TaskOutcome({ task }: { task: Task }) {
  const { t } = useTranslation('taskDetail');
  const { status, fail_reason: reason } = task;
  if (status === 'SUCCESS') return null;
  if (status === 'FAILURE' || status === 'CANCEL') {
    const failed = status === 'FAILURE';
    return (
      <div className={cx('flex gap-3 rounded-card p-4 text-13', failed ? 'bg-bad-soft' : 'bg-fill')}>
        <Icon of={failed ? TriangleAlert : Ban} size={18} className={failed ? 'text-bad' : 'text-text2'} />
        <div className="min-w-0">
          <p className={cx('font-title', failed && 'text-bad')}>{t(failed ? 'failed' : 'cancelled')}</p>
          {(failed || reason !== '') && <p className="mt-1 break-words">{reason || t('noReason')}</p>}
          <p className="mt-1 text-text2">
            {task.refunded ? (
              <TextWithElements
                text={t('returned')}
                parts={{ amount: <Money credits={task.quota} className="font-title" /> }}
              />
            ) : (
              task.quota === 0 && t('notReturned')
            )}
          </p>
        </div>
      </div>
    );
  }
  const asks = status === 'MODAL';
  const text = asks ? t('modalText') : status === 'UNKNOWN' ? t('unknownText') : t('waiting');
  return (
    <div className="flex items-start gap-3 rounded-card bg-fill p-4 text-13">
      <Icon of={status === 'UNKNOWN' || asks ? CircleHelp : Hourglass} size={18} className="text-text2" />
      <div className="grid min-w-0 gap-2">
        <p>{text}</p>
        {!isFinalTask(status) && !asks && status !== 'UNKNOWN' && <TaskProgress task={task} wide />}
      </div>
    </div>
  );
}
