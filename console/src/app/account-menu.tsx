import { teamApi, type SessionUser } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Handshake, LogOut, UserRound } from 'lucide-react';
import type { RefObject } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { accountOf, chooseAccount } from '#api/account.ts';
import { apiQuery } from '#api/api-query.ts';
import { Menu } from '#ui/overlay/menu.tsx';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';

interface Props {
  label: string;
  anchor: RefObject<HTMLButtonElement | null>;
  user: SessionUser;
  onSignOut: () => void;
  onClose: () => void;
}

/** The accounts that a person can act for, settings and sign-out. */
export function AccountMenu({ label, anchor, user, onSignOut, onClose }: Props) {
  const { t } = useTranslation();
  const { data: teams = [] } = useQuery({ ...apiQuery(teamApi.list), meta: { quiet: true } });
  const pick = (value: string) =>
    chooseAccount(
      user.id,
      teams.find(({ id }) => String(id) === value),
    );
  const entries = (): MenuEntries => [
    { heading: user.display_name || user.username },
    teams.length > 0 && {
      label: t('nav.account', { name: '' }),
      value: String(accountOf(user.id)?.id ?? 0),
      options: [
        { value: '0', label: t('nav.ownAccount') },
        ...teams.map(({ id, name }) => ({ value: String(id), label: name })),
      ],
      onPick: pick,
    },
    teams.length > 0 && 'line',
    { label: t('menu.team'), icon: Handshake, render: <Link to="/panel/team" /> },
    { label: t('nav.settings'), icon: UserRound, render: <Link to="/panel/profile" /> },
    { label: t('nav.signOut'), icon: LogOut, saves: true, onSelect: onSignOut },
  ];
  return <Menu label={label} anchor={anchor} entries={entries} onClose={onClose} />;
}
