import type { Dispute, OrderDetail } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { formatMinor } from '#domain/payment/minor-money.ts';
import { Status } from '#ui/feedback/status.tsx';
import { formatMoney } from '#ui/format/money.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { formatDateTime } from '#ui/format/time.ts';
import { Time } from '#ui/format/time.tsx';
import { DetailSection } from '#ui/overlay/detail-section.tsx';

/** Disputes of the payment, newest first. */
export function OrderDisputes({ order: { disputes } }: { order: OrderDetail }) {
  const { t } = useTranslation('paymentOrder');
  if (disputes.length === 0) return null;
  return (
    <DetailSection title={t('disputes')}>
      <ul className="grid grid-cols-1 gap-2">
        {disputes.toReversed().map((dispute) => (
          <DisputeCard key={dispute.id} dispute={dispute} />
        ))}
      </ul>
    </DetailSection>
  );
}

const kinds = { open: 'doubtful', won: 'done', lost: 'failed' } as const;

function DisputeCard({ dispute }: { dispute: Dispute }) {
  const { t } = useTranslation('paymentOrder');
  const money = useSiteFormat();
  const { status, due_at: due, held_quota: held, loss_quota: loss } = dispute;
  const facts = [
    dispute.reason,
    t('disputeHeld', { credit: formatMoney(held, money) }),
    loss > 0 && t('disputeLoss', { credit: formatMoney(loss, money) }),
  ].filter((fact) => fact !== false && fact !== '');
  return (
    <li className="rounded-card border border-line px-3.5 py-2.5 text-13">
      <div className="flex flex-wrap items-center gap-x-3">
        <b className="font-title tabular-nums">{formatMinor(dispute.minor, dispute.currency)}</b>
        <Status kind={kinds[status]} text={t(`disputeStates.${status}`)} />
        <Time at={dispute.created_at} className="ml-auto text-12 text-text2" />
      </div>
      <p className="text-12 break-words text-text2 tabular-nums">{facts.join(' · ')}</p>
      {status === 'open' && due > 0 && (
        <p className="text-12 text-warn tabular-nums">{t('disputeDue', { time: formatDateTime(due) })}</p>
      )}
      <p className="font-mono text-12 break-all text-text3">{dispute.dispute_no}</p>
    </li>
  );
}
