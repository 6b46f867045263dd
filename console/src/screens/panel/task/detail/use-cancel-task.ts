import { taskApi, userApi } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { refresh } from '#api/api-query.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { toast } from '#ui/feedback/toast.ts';
import { cancelTask } from '#screens/panel/task/task-calls.ts';
import type { TaskReader } from '#screens/panel/task/task-search.ts';

/** Cancels a task and shows its end; failures show a toast. */
export function useCancelTask(reader: TaskReader) {
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
