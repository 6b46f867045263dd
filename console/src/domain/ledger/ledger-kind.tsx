import type { LedgerKind } from '@relay-hub/contract';
import {
  ArchiveRestore,
  ArrowDown,
  CalendarClock,
  ArrowLeftRight,
  DoorOpen,
  Gift,
  Hourglass,
  Scale,
  SlidersHorizontal,
  Ticket,
  Undo2,
  UserPlus,
  Wallet,
} from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { Icon, type IconShape } from '#ui/basic/icon.tsx';

const looks: Record<LedgerKind, [IconShape, string]> = {
  opening: [DoorOpen, 'text-ok'],
  gift: [Gift, 'text-ok'],
  reward: [UserPlus, 'text-ok'],
  topup: [Wallet, 'text-ok'],
  redemption: [Ticket, 'text-ok'],
  reserve: [Hourglass, 'text-text2'],
  settle: [ArrowDown, 'text-text2'],
  release: [ArchiveRestore, 'text-text2'],
  refund: [Undo2, 'text-ok'],
  dispute: [Scale, 'text-warn'],
  plan: [CalendarClock, 'text-text2'],
  transfer: [ArrowLeftRight, 'text-text2'],
  correction: [SlidersHorizontal, 'text-warn'],
};

/** A kind of ledger entry as icon, text and colour. */
export function LedgerKindName({ kind }: { kind: LedgerKind }) {
  const { t } = useTranslation('ledger');
  const [icon, tone] = looks[kind];
  return (
    <span className={cx('inline-flex max-w-full min-w-0 items-center gap-1.5 align-middle', tone)}>
      <Icon of={icon} size={14} />
      <span className="truncate">{t(`kinds.${kind}`)}</span>
    </span>
  );
}
