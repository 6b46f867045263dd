import { announcementApi, type Announcement } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '#api/call.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { toast } from '#ui/feedback/toast.ts';
import { Confirm } from '#ui/overlay/confirm.tsx';
import { refreshAnnouncements } from './announcement-api.ts';

/** Confirms the deletion of an announcement. */
export function RemoveAnnouncement({
  announcement: { id },
  onClose,
}: {
  announcement: Announcement;
  onClose: () => void;
}) {
  const { t } = useTranslation('announcement');
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => call(announcementApi.remove, { params: { id } }),
    onSuccess: () => toast.success(t('removed')),
    onSettled: () => refreshAnnouncements(client),
  });
  return (
    <Confirm
      title={t('removeTitle')}
      text={t('removeText')}
      action={t('removeAction')}
      onConfirm={() => remove.mutateAsync()}
      onClose={onClose}
    />
  );
}
