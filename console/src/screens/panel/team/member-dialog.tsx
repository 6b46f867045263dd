import {
  givenTeamRoles,
  teamApi,
  type AccountLimits,
  type Team,
  type TeamMember,
  type TeamRole,
} from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { toast } from '#ui/feedback/toast.ts';
import { FormMoney } from '#ui/form/form-number.tsx';
import { FormSelect } from '#ui/form/form-select.tsx';
import { FormText } from '#ui/form/form-text.tsx';
import { monthOf, refreshTeams, withMonth } from './team-api.ts';
import { FormDialog } from './form-dialog.tsx';

interface Values {
  role: TeamRole;
  cost_centre: string;
  month: number | null;
}

interface Props {
  team: Team;
  /** Undefined: the budget of the whole team. */
  member?: TeamMember | undefined;
  limits: AccountLimits | undefined;
  onClose: () => void;
}

/** Role, cost centre and budget of a member, or the budget of the team. */
export function MemberDialog({ team, member, limits, onClose }: Props) {
  const { t } = useTranslation(['team', 'shared']);
  const client = useQueryClient();
  const before = limits ? (monthOf(limits)?.amount ?? null) : null;
  const form = useForm<Values>({
    defaultValues: { role: member?.role ?? 'member', cost_centre: member?.cost_centre ?? '', month: before },
  });
  const params = { id: team.id };
  const save = useMutation({
    mutationFn: async ({ role, cost_centre, month }: Values) => {
      const user = member && { user_id: member.user_id };
      if (month !== before)
        await call(teamApi.setLimits, { params, body: { ...user, limits: withMonth(limits?.limits ?? null, month) } });
      if (!member || (role === member.role && cost_centre === member.cost_centre)) return;
      const changed = role !== member.role && role !== 'owner' ? { role } : {};
      await call(teamApi.updateMember, {
        params: { ...params, user: member.user_id },
        body: { ...changed, cost_centre: cost_centre.trim() },
      });
    },
    onSuccess: () => toast.success(t('saved')),
    onSettled: () => refreshTeams(client),
  });
  const submit = async () => {
    let isDone = false;
    await form.handleSubmit(async (values) => {
      isDone = await save.mutateAsync(values).then(
        () => true,
        () => false,
      );
    })();
    return isDone;
  };
  const isFixed =
    !member || member.role === 'owner' || member.source !== '' || (team.role !== 'owner' && member.role === 'admin');
  const roles = givenTeamRoles.filter((role) => team.role === 'owner' || role !== 'admin');
  return (
    <FormDialog
      title={member ? t('editMember', { name: member.username }) : t('teamBudget')}
      text={member ? undefined : t('teamBudgetText')}
      action={t('save')}
      busy={save.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      {!isFixed && (
        <FormSelect
          control={form.control}
          name="role"
          label={t('roleName')}
          options={roles.map((role) => ({ value: role, label: t(`role.${role}`), note: t(`roleText.${role}`) }))}
        />
      )}
      {member && (
        <FormText
          control={form.control}
          name="cost_centre"
          label={t('costCentre')}
          hint={t('costCentreHint')}
          optional
          maxLength={50}
        />
      )}
      <FormMoney control={form.control} name="month" label={t('monthBudget')} hint={t('monthBudgetHint')} optional />
    </FormDialog>
  );
}
