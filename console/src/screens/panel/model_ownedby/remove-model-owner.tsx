import { modelOwnerApi, siteApi, type ModelOwner } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { Confirm } from '#ui/overlay/confirm.tsx';
import { toast } from '#ui/feedback/toast.ts';

/** Confirms the removal of an owner; its models then have none. */
export function RemoveModelOwner(props: { owner: ModelOwner; onRemoved: () => void; onClose: () => void }) {
  const { owner, onRemoved, onClose } = props;
  const { t } = useTranslation('modelOwner');
  const client = useQueryClient();
  const { id, name } = owner;
  const remove = useMutation({
    mutationFn: () => call(modelOwnerApi.remove, { params: { id } }),
    onSuccess: () => {
      toast.success(t('removed', { name }));
      onRemoved();
    },
    onSettled: () => refresh(client, siteApi.owners, siteApi.ownerMap),
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
