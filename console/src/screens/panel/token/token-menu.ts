import type { Token } from '@relay-hub/contract';
import type { Translate } from '#i18n/t.ts';
import { CircleCheck, CircleMinus, KeyRound, Pencil, RefreshCw, Trash2 } from 'lucide-react';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { hasOldKey, stateOf } from './token-state.ts';

type Actions = Record<'edit' | 'enable' | 'disable' | 'rotate' | 'revoke' | 'remove', () => void>;

/** The menu of a row. An exhausted or expired token is renewed in its form, not by enabling it. */
export function tokenMenu(t: Translate<'token'>, token: Token, actions: Actions): MenuEntries {
  const now = Date.now() / 1000;
  const state = stateOf(token, now);
  return [
    { label: t('edit'), icon: Pencil, onSelect: actions.edit },
    state === 'enabled' && { label: t('disable'), icon: CircleMinus, saves: true, onSelect: actions.disable },
    state === 'disabled' && { label: t('enable'), icon: CircleCheck, saves: true, onSelect: actions.enable },
    { label: t('rotateMenu'), icon: RefreshCw, saves: true, onSelect: actions.rotate },
    hasOldKey(token, now) && { label: t('revokeMenu'), icon: KeyRound, saves: true, onSelect: actions.revoke },
    'line',
    { label: t('remove'), icon: Trash2, danger: true, onSelect: actions.remove },
  ];
}
