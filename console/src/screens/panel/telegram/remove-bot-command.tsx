import { botApi, type BotMenuEntry } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { Confirm } from '#ui/overlay/confirm.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { refreshBot } from './bot-api.ts';

interface Props {
  entry: BotMenuEntry;
  onRemoved: () => void;
  onClose: () => void;
}

/** Confirms the removal of a command. */
export function RemoveBotCommand({ entry: { id, command }, onRemoved, onClose }: Props) {
  const { t } = useTranslation('telegram');
  const client = useQueryClient();
  const name = `/${command}`;
  const remove = useMutation({
    mutationFn: () => call(botApi.remove, { params: { id } }),
    onSuccess: () => {
      toast.success(t('removed', { name }));
      onRemoved();
    },
    onSettled: () => refreshBot(client),
  });
  return (
    <Confirm
      title={t('removeTitle', { name })}
      text={t('removeText')}
      action={t('removeAction')}
      onConfirm={() => remove.mutateAsync()}
      onClose={onClose}
    />
  );
}
