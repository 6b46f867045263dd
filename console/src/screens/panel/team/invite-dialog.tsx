import { givenTeamRoles, newInvite, teamApi, type Team } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import type * as z from 'zod/mini';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { useServerAddress } from '#api/site.ts';
import { savedOrRefused } from '#domain/save/form-error.ts';
import { Button } from '#ui/basic/button.tsx';
import { CodeBlock } from '#ui/basic/code-block.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { contractResolver } from '#ui/form/form-resolver.ts';
import { FormSelect } from '#ui/form/form-select.tsx';
import { FormText } from '#ui/form/form-text.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { refreshTeams } from './team-api.ts';
import { FormDialog } from './form-dialog.tsx';

type Values = z.input<typeof newInvite>;
type Body = z.output<typeof newInvite>;

/** Invites by mail, or makes a link and shows it. */
export function InviteDialog({ team, onClose }: { team: Team; onClose: () => void }) {
  const { t } = useTranslation(['team', 'shared']);
  const client = useQueryClient();
  const address = useServerAddress();
  const [link, setLink] = useState('');
  const form = useForm<Values, unknown, Body>({
    resolver: contractResolver(newInvite),
    defaultValues: { email: '', role: 'member', cost_centre: '' },
    mode: 'onBlur',
  });
  const save = useMutation({
    mutationFn: (body: Body) => savedOrRefused(form, () => call(teamApi.invite, { params: { id: team.id }, body })),
    onSettled: () => refreshTeams(client),
    // The answer holds the link.
    gcTime: 0,
  });
  const submit = async () => {
    let isDone = false;
    await form.handleSubmit(async (body) => {
      const made = await save.mutateAsync(body).catch(() => undefined);
      if (!made) return;
      if (made.token !== '') return setLink(`${address}/panel/team?invite=${made.token}`);
      toast.success(t('invited', { email: body.email }));
      isDone = true;
    })();
    return isDone;
  };
  if (link !== '')
    return (
      <Dialog
        title={t('linkReady')}
        text={t('linkText')}
        onClose={onClose}
        footer={(close) => <Button onClick={close}>{t('done')}</Button>}
      >
        <CodeBlock code={link} copy={link} label={t('link')} />
      </Dialog>
    );
  const roles = givenTeamRoles.filter((role) => team.role === 'owner' || role !== 'admin');
  return (
    <FormDialog
      title={t('invite')}
      text={t('inviteText')}
      action={t('invite')}
      busy={save.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <FormText control={form.control} name="email" label={t('email')} hint={t('emailHint')} optional maxLength={50} />
      <FormSelect
        control={form.control}
        name="role"
        label={t('roleName')}
        options={roles.map((role) => ({ value: role, label: t(`role.${role}`), note: t(`roleText.${role}`) }))}
      />
      <FormText
        control={form.control}
        name="cost_centre"
        label={t('costCentre')}
        hint={t('costCentreHint')}
        optional
        maxLength={50}
      />
    </FormDialog>
  );
}
