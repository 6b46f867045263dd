import type { Task } from '@relay-hub/contract';
import { useCallback } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { kindOf, useActionName } from '#screens/panel/task/task-look.ts';

/** The second line below a task's name: the id of an image task, otherwise the action, and the model or the number of songs. */
export function useTaskNote(): (task: Task) => string {
  const { t } = useTranslation('task');
  const actionName = useActionName();
  return useCallback(
    (task) => {
      const kind = kindOf(task);
      if (task.platform === 'midjourney') return task.task_id;
      const songs = task.media.filter((each) => each.kind === 'audio').length;
      const name = actionName(task.action);
      const what = name === t(`kinds.${kind}`) ? name : `${t(`kinds.${kind}`)} · ${name}`;
      return [what, songs > 1 ? t('songs', { count: songs }) : task.model].filter(Boolean).join(' · ');
    },
    [t, actionName],
  );
}
