import { defaultUserGroup, userGroupApi, type UserGroup } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { useNamedGroup } from '#api/user-groups.ts';
import { Switch } from '#ui/form/switch.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { refreshGroups } from './user-group-api.ts';

/** Applies at once; the server refuses for a group in use, and the switch flips back. The default group stays on. */
export function UserGroupSwitch({ group }: { group: UserGroup }) {
  const { t } = useTranslation('userGroup');
  const client = useQueryClient();
  const named = useNamedGroup();
  const toggle = useMutation({
    mutationFn: () => call(userGroupApi.toggle, { params: { id: group.id }, query: { enable: `${!group.enable}` } }),
    onSuccess: ({ name, enable }) => toast.success(t(enable ? 'enabledDone' : 'disabledDone', { name })),
    onSettled: () => refreshGroups(client),
  });
  return (
    <Switch
      label={t('enabledOf', { name: named(group).name })}
      checked={toggle.isPending ? !group.enable : group.enable}
      saves
      disabled={group.symbol === defaultUserGroup.symbol}
      onChange={() => !toggle.isPending && toggle.mutate()}
    />
  );
}
