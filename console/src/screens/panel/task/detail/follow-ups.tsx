import { taskApi, userApi, type Task, type TaskButton } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { refresh } from '#api/api-query.ts';
import { useSession } from '#api/session.ts';
import { useServerAddress } from '#api/site.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { copyText } from '#ui/format/clipboard.ts';
import { toast } from '#ui/feedback/toast.ts';
import { Confirm } from '#ui/overlay/confirm.tsx';
import { DetailSection } from '#ui/overlay/detail-section.tsx';
import { curlOf } from '#screens/panel/task/curl-of.ts';
import { sendFollowUp } from './call-relay.ts';

/** Whether the reader can send requests about a task: it is theirs, and its token still exists. */
export function useCanSend(task: Task): boolean {
  const { user } = useSession();
  return user?.id === task.user_id && task.token_name !== '';
}

/** The follow-ups that a task offers: sent with its token, or copied as a request. */
export function FollowUps({ task }: { task: Task }) {
  const { t } = useTranslation('taskDetail');
  const canSend = useCanSend(task);
  const address = useServerAddress();
  const [asking, setAsking] = useState<TaskButton>();
  const client = useQueryClient();
  const send = useMutation({
    mutationFn: (button: TaskButton) => sendFollowUp(task, button.customId),
    onSuccess: () => {
      toast.success(t('sent'));
      return refresh(client, taskApi.list, taskApi.ownList, taskApi.totals, taskApi.ownTotals, userApi.self);
    },
  });
  const request = ({ customId }: TaskButton) =>
    curlOf(`${address}/mj/submit/action`, { taskId: task.task_id, customId });
  if (task.buttons.length === 0) return null;
  return (
    <DetailSection title={t('followUps')}>
      <div className="flex flex-wrap gap-2">
        {task.buttons.map((button) => (
          <Button
            key={button.customId}
            size="sm"
            saves={canSend}
            className="min-w-10"
            onClick={() => (canSend ? setAsking(button) : void copyText(request(button), t('request')))}
          >
            {nameOf(button)}
          </Button>
        ))}
      </div>
      {!canSend && <p className="mt-2 text-12 text-text3">{t('copyOnly')}</p>}
      {asking && (
        <Confirm
          title={t('sendTitle', { name: nameOf(asking) })}
          text={
            <>
              {t('sendText', { token: task.token_name })}
              <Button
                size="sm"
                variant="ghost"
                className="-ml-2 mt-1"
                onClick={() => void copyText(request(asking), t('request'))}
              >
                {t('copyRequest')}
              </Button>
            </>
          }
          action={t('send')}
          danger={false}
          onConfirm={() => send.mutateAsync(asking)}
          onClose={() => setAsking(undefined)}
        />
      )}
    </DetailSection>
  );
}

/** "U1", "🔄", "⬅️ left"; a button without either has its command. */
const nameOf = ({ emoji, label, customId }: TaskButton): string =>
  [emoji, label].filter(Boolean).join(' ') || (customId.split('::')[2] ?? customId);
