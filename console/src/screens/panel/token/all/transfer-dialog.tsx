import { tokenAdminApi, type OwnedToken, type User } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ArrowRightLeft } from 'lucide-react';
import { useRef, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { AccountChoice } from '#domain/account/account-choice.tsx';
import { Button } from '#ui/basic/button.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { Dialog } from '#ui/overlay/dialog.tsx';

interface Props {
  token: OwnedToken;
  onClose: () => void;
}

/** Gives a token to another account. */
export function TransferDialog({ token, onClose }: Props) {
  const { t } = useTranslation('tokenAdmin');
  const client = useQueryClient();
  const [to, setTo] = useState<User>();
  const input = useRef<HTMLInputElement>(null);
  const transfer = useMutation({
    mutationFn: (user: User) => call(tokenAdminApi.transfer, { params: { id: token.id }, body: { user_id: user.id } }),
    onSuccess: (moved) => {
      toast.success(t('transferred', { name: moved.name, owner: moved.username }));
      void refresh(client, tokenAdminApi.list, tokenAdminApi.get);
    },
  });
  return (
    <Dialog
      title={t('transferTitle', { name: token.name })}
      text={t('transferText', { owner: token.username })}
      icon={ArrowRightLeft}
      iconTone="text-text2"
      initialFocus={input}
      onClose={onClose}
      footer={(close) => (
        <>
          <Button disabled={transfer.isPending} onClick={close}>
            {t('cancel')}
          </Button>
          <Button
            variant="primary"
            busy={transfer.isPending}
            disabled={!to}
            onClick={() => to && transfer.mutate(to, { onSuccess: close })}
          >
            {to ? t('transferTo', { owner: to.username }) : t('transferAction')}
          </Button>
        </>
      )}
    >
      <div className="grid grid-cols-1 gap-4">
        <AccountChoice
          label={t('newOwner')}
          hint={t('newOwnerHint')}
          none={t('noAccount')}
          without={token.user_id}
          chosen={to}
          onChoose={setTo}
          inputRef={input}
        />
        <Note tone="warn">{t('transferNote')}</Note>
      </div>
    </Dialog>
  );
}
