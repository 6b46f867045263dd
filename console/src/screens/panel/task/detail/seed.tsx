import type { Task } from '@relay-hub/contract';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { CopyButton } from '#ui/basic/copy-button.tsx';
import { fetchSeed } from './call-relay.ts';
import { useCanSend } from './follow-ups.tsx';
import { TaskFact } from './task-facts.tsx';

/** The seed of a picture, fetched on demand; absent where the reader cannot ask for it. */
export function Seed({ task }: { task: Task }) {
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
