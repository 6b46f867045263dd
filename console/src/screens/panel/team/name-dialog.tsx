import { newTeam, teamApi, type Team } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { savedOrRefused } from '#domain/save/form-error.ts';
import { contractResolver } from '#ui/form/form-resolver.ts';
import { FormText } from '#ui/form/form-text.tsx';
import { refreshTeams } from './team-api.ts';
import { FormDialog } from './form-dialog.tsx';

/** Creates a team, or renames one. */
export function NameDialog({
  team,
  onMade,
  onClose,
}: {
  team?: Team;
  onMade: (team: Team) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation('team');
  const client = useQueryClient();
  const form = useForm<{ name: string }>({
    resolver: contractResolver(newTeam),
    defaultValues: { name: team?.name ?? '' },
    mode: 'onBlur',
  });
  const save = useMutation({
    mutationFn: (body: { name: string }) =>
      savedOrRefused(form, () =>
        team ? call(teamApi.update, { params: { id: team.id }, body }) : call(teamApi.create, { body }),
      ),
    onSettled: () => refreshTeams(client),
  });
  const submit = async () => {
    let made: Team | undefined;
    await form.handleSubmit(async (body) => {
      made = await save.mutateAsync(body).catch(() => undefined);
    })();
    if (made) onMade(made);
    return made !== undefined;
  };
  return (
    <FormDialog
      title={t(team ? 'rename' : 'create')}
      text={team ? undefined : t('createText')}
      action={t(team ? 'rename' : 'create')}
      busy={save.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <FormText control={form.control} name="name" label={t('name')} hint={t('nameHint')} maxLength={64} />
    </FormDialog>
  );
}
