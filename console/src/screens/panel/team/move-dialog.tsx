import { teamApi, type Team } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { toast } from '#ui/feedback/toast.ts';
import { FormMoney } from '#ui/form/form-number.tsx';
import { Money } from '#ui/format/money.tsx';
import { refreshTeams } from './team-api.ts';
import { FormDialog } from './form-dialog.tsx';

/** Moves credits between the own account and the team. */
export function MoveDialog({ team, out, onClose }: { team: Team; out: boolean; onClose: () => void }) {
  const { t } = useTranslation('team');
  const client = useQueryClient();
  // Sent again with the same reference after a failure, so that it counts once.
  const [reference] = useState(() => `${Date.now()}-${Math.random().toString(36).slice(2)}`);
  const form = useForm<{ credits: number | null }>({ defaultValues: { credits: null } });
  const save = useMutation({
    mutationFn: (credits: number) =>
      call(teamApi.move, { params: { id: team.id }, body: { credits: out ? -credits : credits, reference } }),
    onSuccess: () => toast.success(t('moved')),
    onSettled: async () => {
      await refreshTeams(client);
      await client.invalidateQueries();
    },
  });
  const submit = async () => {
    const { credits } = form.getValues();
    if (!credits || credits <= 0) {
      form.setError('credits', { message: t('amountNeeded') });
      return false;
    }
    return save.mutateAsync(credits).then(
      () => true,
      () => false,
    );
  };
  return (
    <FormDialog
      title={t(out ? 'takeOut' : 'payIn')}
      text={
        <>
          {t(out ? 'takeOutText' : 'payInText')} {out && <Money credits={team.quota} />}
        </>
      }
      action={t(out ? 'takeOut' : 'payIn')}
      busy={save.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <FormMoney control={form.control} name="credits" label={t('amount')} />
    </FormDialog>
  );
}
