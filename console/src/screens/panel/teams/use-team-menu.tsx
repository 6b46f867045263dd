import { teamAdminApi, userStatus, type ManagedTeam } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Ban, CircleCheck, Crown, FileText, KeyRound, List, ScrollText, ShieldCheck, Wallet } from 'lucide-react';
import { call } from '#api/call.ts';
import { useUserGroups } from '#api/user-groups.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { toast } from '#ui/feedback/toast.ts';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { refreshTeams } from './team-record.ts';

interface Handlers {
  onAdjust: (team: ManagedTeam) => void;
  onOwner: (team: ManagedTeam) => void;
}

/** What administrators of the site do with a team, and where its records are. */
export function useTeamMenu({ onAdjust, onOwner }: Handlers): (team: ManagedTeam) => MenuEntries {
  const { t } = useTranslation('team');
  const client = useQueryClient();
  const groups = useUserGroups();
  const update = useMutation({
    mutationFn: ({ id, ...body }: { id: number; status?: 1 | 2; group?: string }) =>
      call(teamAdminApi.update, { params: { id }, body }),
    onSettled: () => refreshTeams(client),
  });
  const turn = ({ id, name }: ManagedTeam, status: 1 | 2) =>
    update.mutate(
      { id, status },
      {
        onSuccess: () =>
          toast.undo(t(status === userStatus.enabled ? 'enabledTeam' : 'disabledTeam', { name }), () =>
            update.mutate({ id, status: status === userStatus.enabled ? 2 : 1 }),
          ),
      },
    );
  return (team) => [
    { label: t('adjust'), icon: Wallet, onSelect: () => onAdjust(team) },
    { label: t('changeOwner'), icon: Crown, onSelect: () => onOwner(team) },
    {
      label: t('changeGroup'),
      value: team.group,
      options: Object.values(groups).map(({ symbol, name }) => ({ value: symbol, label: name })),
      onPick: (group) => update.mutate({ id: team.id, group }),
    },
    'line',
    { label: t('usage'), icon: List, render: <Link to="/panel/log" search={{ username: team.name }} /> },
    { label: t('ledger'), icon: ScrollText, render: <Link to="/panel/ledger" search={{ username: team.name }} /> },
    {
      label: t('statement'),
      icon: FileText,
      render: <Link to="/panel/topup/statement" search={{ username: team.name }} />,
    },
    {
      label: t('allKeys'),
      icon: KeyRound,
      render: <Link to="/panel/token" search={{ scope: 'all', user_id: team.id }} />,
    },
    { label: t('history'), icon: ShieldCheck, render: <Link to="/panel/audit" search={{ account_id: team.id }} /> },
    'line',
    team.status === userStatus.enabled
      ? { label: t('disable'), icon: Ban, danger: true, onSelect: () => turn(team, 2) }
      : { label: t('enable'), icon: CircleCheck, saves: true, onSelect: () => turn(team, 1) },
  ];
}
