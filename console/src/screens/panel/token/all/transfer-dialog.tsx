import { tokenAdminApi, type OwnedToken, type User } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowRightLeft } from 'lucide-react';
import { useDeferredValue, useRef, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { useSession } from '#api/session.ts';
import { outranks } from '#domain/quota/outranks.ts';
import { Button } from '#ui/basic/button.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { Field } from '#ui/form/field.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { accountsLike } from './all-api.ts';

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
        <OwnerChoice present={token.user_id} chosen={to} onChoose={setTo} inputRef={input} />
        <Note tone="warn">{t('transferNote')}</Note>
      </div>
    </Dialog>
  );
}

interface ChoiceProps {
  /** Id of the present owner, who cannot be chosen. */
  present: number;
  chosen: User | undefined;
  onChoose: (user: User | undefined) => void;
  inputRef: React.Ref<HTMLInputElement>;
}

/** A search for accounts, and those found as alternatives. */
function OwnerChoice({ present, chosen, onChoose, inputRef }: ChoiceProps) {
  const { t } = useTranslation('tokenAdmin');
  const { user: me } = useSession();
  const [typed, setTyped] = useState('');
  const keyword = useDeferredValue(typed.trim());
  const { data } = useQuery(accountsLike(keyword));
  const found = keyword === '' ? [] : (data?.data ?? []);
  const users = found.filter((user) => user.id !== present && (user.id === me?.id || outranks(me, user)));
  return (
    <div className="grid grid-cols-1 gap-2">
      <Field label={t('newOwner')} hint={t('newOwnerHint')}>
        {(aria) => (
          <input
            {...aria}
            ref={inputRef}
            className="box"
            autoComplete="off"
            value={typed}
            onChange={(event) => {
              setTyped(event.target.value);
              onChoose(undefined);
            }}
          />
        )}
      </Field>
      <div role="radiogroup" aria-label={t('newOwner')} className="grid grid-cols-1">
        {users.map((user) => (
          <label
            key={user.id}
            className="flex min-h-9 cursor-pointer items-center gap-2.5 rounded-control px-2.5 hover:bg-hover max-sm:min-h-11"
          >
            <input
              type="radio"
              name="new-owner"
              className="accent-(--color-accent-fill)"
              checked={chosen?.id === user.id}
              onChange={() => onChoose(user)}
            />
            <span className="min-w-0 truncate">{user.username}</span>
            <span className="text-13 text-text3">#{user.id}</span>
            <span className="ml-auto min-w-0 truncate text-13 text-text2">{user.email || user.display_name}</span>
          </label>
        ))}
      </div>
      <p role="status" className="text-13 text-text2">
        {keyword !== '' && data && users.length === 0 ? t('noAccount') : ''}
      </p>
    </div>
  );
}
