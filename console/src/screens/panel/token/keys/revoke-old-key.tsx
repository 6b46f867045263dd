import { tokenApi, type Token } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { toast } from '#ui/feedback/toast.ts';
import { Confirm } from '#ui/overlay/confirm.tsx';

interface Props {
  token: Token;
  onClose: () => void;
}

/** Confirms the end of a token's old key. */
export function RevokeOldKey({ token, onClose }: Props) {
  const { t } = useTranslation('token');
  const client = useQueryClient();
  const { mutateAsync } = useMutation({
    mutationFn: () => call(tokenApi.revokeOldKey, { params: { id: token.id } }),
    onSuccess: () => toast.success(t('oldKeyRevoked', { name: token.name })),
    onSettled: () => refresh(client, tokenApi.list, tokenApi.get),
  });
  return (
    <Confirm
      title={t('revokeTitle', { name: token.name })}
      text={t('revokeText', { key: token.old_key?.key ?? '' })}
      action={t('revokeAction')}
      onConfirm={() => mutateAsync()}
      onClose={onClose}
    />
  );
}
