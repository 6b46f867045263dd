import type { Task } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { Confirm } from '#ui/overlay/confirm.tsx';
import type { TaskReader } from '#screens/panel/task/task-search.ts';
import { useCancelTask } from './use-cancel-task.ts';

interface Props {
  task: Task;
  reader: TaskReader;
  onClose: () => void;
}

/** Asks before a task is cancelled. */
export function CancelTask({ task, reader, onClose }: Props) {
  const { t } = useTranslation('taskDetail');
  const cancel = useCancelTask(reader);
  return (
    <Confirm
      title={t('cancelTitle')}
      text={t('cancelText')}
      action={t('cancel')}
      safe={t('keep')}
      onConfirm={() => cancel.mutateAsync(task.id)}
      onClose={onClose}
    />
  );
}
