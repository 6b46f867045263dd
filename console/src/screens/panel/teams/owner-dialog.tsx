import { teamAdminApi, type ManagedTeam, type User } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Crown } from 'lucide-react';
import { useRef, useState } from 'react';
import { call } from '#api/call.ts';
import { AccountChoice } from '#domain/account/account-choice.tsx';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { Checkbox } from '#ui/form/checkbox.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { refreshTeams } from './team-record.ts';

interface Props {
  team: ManagedTeam;
  onClose: () => void;
}

/** Gives a team another owner, for example after its owner has left. */
export function OwnerDialog({ team, onClose }: Props) {
  const { t } = useTranslation(['team', 'shared']);
  const client = useQueryClient();
  const [to, setTo] = useState<User>();
  // Somebody who cannot sign in keeps no right over the team.
  const [remove, setRemove] = useState(!team.owner_enabled);
  const input = useRef<HTMLInputElement>(null);
  const save = useMutation({
    mutationFn: ({ id }: User) =>
      call(teamAdminApi.setOwner, { params: { id: team.id }, body: { user_id: id, remove } }),
    onSuccess: ({ name, owner }) => toast.success(t('ownerChanged', { team: name, name: owner })),
    onSettled: () => refreshTeams(client),
  });
  return (
    <Dialog
      title={t('ownerTitle', { name: team.name })}
      text={t('ownerText', { name: team.owner })}
      icon={Crown}
      iconTone="text-text2"
      initialFocus={input}
      onClose={onClose}
      footer={(close) => (
        <>
          <Button disabled={save.isPending} onClick={close}>
            {t('shared:cancel')}
          </Button>
          <Button
            variant="primary"
            busy={save.isPending}
            disabled={!to}
            onClick={() => to && save.mutate(to, { onSuccess: close })}
          >
            {to ? t('makeOwner', { name: to.username }) : t('changeOwner')}
          </Button>
        </>
      )}
    >
      <AccountChoice
        label={t('newOwner')}
        hint={t('newOwnerHint')}
        none={t('noUser')}
        without={team.owner_id}
        chosen={to}
        onChoose={setTo}
        inputRef={input}
      />
      <label className="mt-3 flex min-h-9 cursor-pointer items-center gap-2.5 max-sm:min-h-11">
        <Checkbox checked={remove} onChange={setRemove} />
        {t('removeFormer', { name: team.owner })}
      </label>
    </Dialog>
  );
}
