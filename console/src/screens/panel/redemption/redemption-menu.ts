import type { Redemption } from '@relay-hub/contract';
import type { Translate } from '#i18n/t.ts';
import { CircleCheck, CircleMinus, Copy, Eye, Pencil, Trash2 } from 'lucide-react';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { stateOf } from './redemption-state.ts';

type Actions = Record<'copy' | 'open' | 'enable' | 'disable' | 'remove', () => void>;

/** The menu of a row. Redeemed codes are read-only; expired ones get a new expiry in their form. */
export function redemptionMenu(t: Translate<'redemption'>, row: Redemption, actions: Actions): MenuEntries {
  const state = stateOf(row, Date.now() / 1000);
  return [
    { label: t('copy'), icon: Copy, onSelect: actions.copy },
    state === 'redeemed'
      ? { label: t('details'), icon: Eye, onSelect: actions.open }
      : { label: t('edit'), icon: Pencil, onSelect: actions.open },
    state === 'unredeemed' && { label: t('disable'), icon: CircleMinus, saves: true, onSelect: actions.disable },
    state === 'disabled' && { label: t('enable'), icon: CircleCheck, saves: true, onSelect: actions.enable },
    'line',
    { label: t('remove'), icon: Trash2, danger: true, onSelect: actions.remove },
  ];
}
