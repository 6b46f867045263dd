import { userGroupApi, type UserGroupRow } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { useAllGroups } from '#api/all-groups.ts';
import { Button } from '#ui/basic/button.tsx';
import { Confirm } from '#ui/overlay/confirm.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { Field } from '#ui/form/field.tsx';
import { Select } from '#ui/form/select.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { refreshMoved } from './user-group-api.ts';

interface Props {
  group: UserGroupRow;
  onRemoved: () => void;
  onClose: () => void;
}

/** Confirms the deletion of a group; a group in use needs a replacement. */
export function RemoveUserGroup({ group, onRemoved, onClose }: Props) {
  const { t } = useTranslation('userGroup');
  const client = useQueryClient();
  const { name, id, users, tokens, channels } = group;
  const remove = useMutation({
    mutationFn: (replacement: string) => call(userGroupApi.remove, { params: { id }, query: { replacement } }),
    onSuccess: () => {
      toast.success(t('removed', { name }));
      onRemoved();
    },
    // A refusal means that the counts were stale.
    onSettled: () => refreshMoved(client),
  });
  if (users + tokens + channels > 0)
    return (
      <Replace
        group={group}
        busy={remove.isPending}
        onReplace={async (replacement) => {
          await remove.mutateAsync(replacement);
        }}
        onClose={onClose}
      />
    );
  return (
    <Confirm
      title={t('removeTitle', { name })}
      text={t('removeText')}
      action={t('removeAction')}
      onConfirm={() => remove.mutateAsync('')}
      onClose={onClose}
    />
  );
}

interface ReplaceProps {
  group: UserGroupRow;
  busy: boolean;
  onReplace: (replacement: string) => Promise<void>;
  onClose: () => void;
}

function Replace({ group, busy, onReplace, onClose }: ReplaceProps) {
  const { t } = useTranslation(['userGroup', 'shared']);
  const [chosen, setChosen] = useState<string | null>(null);
  const others = useAllGroups().filter(({ id, enable }) => enable && id !== group.id);
  const target = others.find(({ symbol }) => symbol === chosen);
  const { name, users, tokens, channels } = group;
  const replace = async (close: () => void) => {
    if (chosen === null) return;
    try {
      await onReplace(chosen);
      close();
    } catch {
      // The request shows its own error; another group can be chosen.
    }
  };
  return (
    <Dialog
      title={t('removeTitle', { name })}
      text={t('removeUsed', { users, tokens, channels })}
      icon={TriangleAlert}
      iconTone="text-warn"
      onClose={onClose}
      footer={(close) => (
        <>
          <Button onClick={close}>{t('shared:cancel')}</Button>
          <Button variant="danger" disabled={chosen === null} busy={busy} onClick={() => void replace(close)}>
            {t('replaceAction')}
          </Button>
        </>
      )}
    >
      <Field
        label={t('replacement')}
        hint={target && !target.public && tokens > 0 && t('removePrivate', { name: target.name })}
      >
        {(aria) => (
          <Select
            aria={aria}
            value={chosen}
            onChange={setChosen}
            options={others.map((other) => ({
              value: other.symbol,
              label: `${other.name} · ${other.symbol}`,
              note: `×${other.ratio}`,
            }))}
          />
        )}
      </Field>
    </Dialog>
  );
}
