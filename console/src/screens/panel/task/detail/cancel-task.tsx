import { type Task, taskApi, userApi } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { Confirm } from '#ui/overlay/confirm.tsx';
import type { TaskReader } from '#screens/panel/task/task-search.ts';
import { refresh } from '#api/api-query.ts';
import { toast } from '#ui/feedback/toast.ts';
import { cancelTask } from '#screens/panel/task/task-calls.ts';

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

/** Cancels a task and shows its end; failures show a toast. */
function useCancelTask(reader: TaskReader) {
  const { t } = useTranslation('taskDetail');
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => cancelTask(id, reader),
    onSuccess: () => {
      toast.success(t('cancelDone'));
      const { list, ownList, get, ownGet, totals, ownTotals } = taskApi;
      return refresh(client, list, ownList, get, ownGet, totals, ownTotals, userApi.self);
    },
  });
}
