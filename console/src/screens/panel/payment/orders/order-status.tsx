import type { Order } from '@relay-hub/contract';
import { TriangleAlert } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { Status, type StatusKind } from '#ui/feedback/status.tsx';

const kinds: Record<Order['status'], StatusKind> = {
  pending: 'pending',
  success: 'paid',
  closed: 'closed',
  failed: 'failed',
  part_refunded: 'refunded',
  refunded: 'refunded',
  disputed: 'doubtful',
  charged_back: 'failed',
};

interface Props {
  order: Pick<Order, 'status' | 'attention' | 'completed_by'>;
  /** Without the second line. */
  short?: boolean;
}

/** State of an order; the second line says why it needs attention, or that it was completed by hand. */
export function OrderStatus({ order: { status, attention, completed_by: by }, short = false }: Props) {
  const { t } = useTranslation('payment');
  const isSaid = attention === 'none' || attention === status;
  const detail = isSaid ? by !== '' && t('byHand') : <AttentionText attention={attention} />;
  return <Status kind={kinds[status]} text={t(`states.${status}`)} detail={short ? undefined : detail || undefined} />;
}

/** Why an order needs attention, as icon and word. */
export function AttentionText({ attention }: { attention: Exclude<Order['attention'], 'none'> }) {
  const { t } = useTranslation('payment');
  return (
    <span className="inline-flex max-w-full items-center gap-1 text-warn">
      <Icon of={TriangleAlert} size={12} />
      <span className="truncate">{t(`attentions.${attention}`)}</span>
    </span>
  );
}
