import type { User } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import {
  CircleCheck,
  CircleMinus,
  KeyRound,
  List,
  LogOut,
  Pencil,
  ScrollText,
  ShieldHalf,
  ShieldOff,
  ShieldQuestionMark,
  Trash2,
  Undo2,
  Wallet,
} from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSession } from '#api/session.ts';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { useUserActions } from './user-actions.ts';
import { outranks } from '#domain/quota/outranks.ts';
import { may } from './user-permissions.ts';
import type { UserConfirmation } from './user-confirm.tsx';

interface Handlers {
  onEdit: (user: User) => void;
  onAdjust: (user: User) => void;
  onAsk: (question: UserConfirmation) => void;
}

export function useUserMenu({ onEdit, onAdjust, onAsk }: Handlers): (user: User) => MenuEntries {
  const { t } = useTranslation('user');
  const act = useUserActions();
  const { user: me } = useSession();
  return (user) => {
    const ask = (about: UserConfirmation['about']) => () => onAsk({ about, users: [user] });
    const gone = user.deleted_time > 0;
    const above = outranks(me, user) && !gone;
    const another = user.id !== me?.id;
    return [
      gone &&
        outranks(me, user) && {
          label: t('restore'),
          icon: Undo2,
          saves: true,
          onSelect: () => void act('restore', user),
        },
      above && { label: t('adjust'), icon: Wallet, onSelect: () => onAdjust(user) },
      above && { label: t('edit'), icon: Pencil, onSelect: () => onEdit(user) },
      {
        label: t('showCalls'),
        icon: List,
        render: <Link to="/panel/log" search={{ username: user.username }} />,
      },
      {
        label: t('showLedger'),
        icon: ScrollText,
        render: <Link to="/panel/ledger" search={{ username: user.username }} />,
      },
      (above || !another) && {
        label: t('showTokens'),
        icon: KeyRound,
        render: <Link to="/panel/token" search={{ scope: 'all', user_id: user.id }} />,
      },
      above && another && 'line',
      may(me, 'promote', user) && { label: t('promote'), icon: ShieldHalf, saves: true, onSelect: ask('promote') },
      may(me, 'demote', user) && { label: t('demote'), icon: ShieldOff, saves: true, onSelect: ask('demote') },
      may(me, 'disable', user) && { label: t('disable'), icon: CircleMinus, saves: true, onSelect: ask('disable') },
      may(me, 'enable', user) && {
        label: t('enable'),
        icon: CircleCheck,
        saves: true,
        onSelect: () => void act('enable', user),
      },
      above && another && { label: t('signOut'), icon: LogOut, saves: true, onSelect: ask('signOut') },
      above &&
        another && { label: t('resetFactor'), icon: ShieldQuestionMark, saves: true, onSelect: ask('resetFactor') },
      may(me, 'delete', user) && 'line',
      may(me, 'delete', user) && { label: t('remove'), icon: Trash2, danger: true, onSelect: ask('delete') },
    ];
  };
}
