import type { PaymentGateway } from '@relay-hub/contract';
import { ArrowDown, ArrowUp, Copy, Pencil, PlugZap, Trash2 } from 'lucide-react';
import type { Translate } from '#i18n/t.ts';
import { copyText } from '#ui/format/clipboard.ts';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';

interface Actions {
  gateway: PaymentGateway;
  open: () => void;
  test: () => void;
  remove: () => void;
  /** Undefined at the end of the list. */
  up: (() => void) | undefined;
  down: (() => void) | undefined;
}

export function gatewayMenu(t: Translate<'payment'>, { gateway, open, test, remove, up, down }: Actions): MenuEntries {
  const { name, notify_url: address } = gateway;
  return [
    { label: t('edit'), icon: Pencil, onSelect: open },
    { label: t('test'), icon: PlugZap, saves: true, onSelect: test },
    address !== '' && {
      label: t('copyNotify'),
      icon: Copy,
      onSelect: () => void copyText(address, t('notifyOf', { name })),
    },
    up && { label: t('moveUp'), icon: ArrowUp, saves: true, shortcut: 'Alt ↑', onSelect: up },
    down && { label: t('moveDown'), icon: ArrowDown, saves: true, shortcut: 'Alt ↓', onSelect: down },
    'line',
    { label: t('remove'), icon: Trash2, danger: true, onSelect: remove },
  ];
}
