import type { LedgerKind } from '@relay-hub/contract';
import { CircleHelp, Gift, SlidersHorizontal, Ticket, Undo2, UserPlus, Wallet } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Icon, type IconShape } from '#shared/icon.tsx';
import { creditKinds } from './topup-api.ts';

const icons: Record<(typeof creditKinds)[number], IconShape> = {
  topup: Wallet,
  redemption: Ticket,
  gift: Gift,
  reward: UserPlus,
  refund: Undo2,
  correction: SlidersHorizontal,
};

/** Why credits moved. */
export function CreditKind({ kind }: { kind: LedgerKind }) {
  const { t } = useTranslation('topup');
  const known = creditKinds.find((each) => each === kind);
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-1.5 align-middle">
      <Icon of={known ? icons[known] : CircleHelp} className="text-text2" />
      <span className="truncate">{known ? t(`kinds.${known}`) : kind}</span>
    </span>
  );
}
