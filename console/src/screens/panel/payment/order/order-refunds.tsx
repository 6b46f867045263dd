import { isPaid, type OrderDetail, type Refund } from '@relay-hub/contract';
import { RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSession } from '#api/session.ts';
import { formatMinor } from '#domain/payment/minor-money.ts';
import { Button } from '#ui/basic/button.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { formatMoney } from '#ui/format/money.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { Time } from '#ui/format/time.tsx';
import { DetailSection } from '#ui/overlay/detail-section.tsx';
import { Segmented } from '#ui/form/segmented.tsx';
import { useRefundActions } from './use-order-actions.ts';
import { RemarkDialog } from './remark-dialog.tsx';

/** The refunds of an order, newest first. */
export function OrderRefunds({ order }: { order: OrderDetail }) {
  const { t } = useTranslation('paymentOrder');
  if (!isPaid(order.status) || order.refunds.length === 0) return null;
  const returned = formatMinor(order.refunded_minor, order.order_currency);
  const paid = formatMinor(order.order_minor, order.order_currency);
  return (
    <DetailSection title={t('refunds')} aside={t('refundedOf', { returned, paid })}>
      <ul className="grid grid-cols-1 gap-2">
        {order.refunds.toReversed().map((refund) => (
          <RefundCard key={refund.id} refund={refund} order={order} />
        ))}
      </ul>
    </DetailSection>
  );
}

const kinds = { processing: 'running', success: 'done', refused: 'refused' } as const;

function RefundCard({ refund, order }: { refund: Refund; order: OrderDetail }) {
  const { t } = useTranslation('paymentOrder');
  const money = useSiteFormat();
  const { status, reward_taken: reward, reward_short: short } = refund;
  const spent = refund.quota - refund.taken_quota;
  const amount = (credits: number) => formatMoney(credits, money);
  const facts = [
    t('takenBack', { credit: amount(refund.taken_quota) }),
    spent > 0 && status !== 'refused' && t('writtenOff', { credit: amount(spent) }),
    refund.by_hand && t('byHand'),
    reward > 0 && t('rewardTaken', { credit: amount(reward) }),
    short > 0 && t('rewardShort', { credit: amount(short) }),
    refund.actor_name !== '' && t('startedBy', { name: refund.actor_name }),
    refund.remark,
  ].filter((fact) => fact !== false && fact !== '');
  const numbers = [
    refund.refund_no,
    refund.gateway_refund_no,
    refund.credit_note_no !== '' && t('lines.creditNote', { number: refund.credit_note_no }),
  ].filter((number) => number !== false && number !== '');
  return (
    <li className="rounded-card border border-line px-3.5 py-2.5 text-13">
      <div className="flex flex-wrap items-center gap-x-3">
        <b className="font-title tabular-nums">{formatMinor(refund.minor, refund.currency)}</b>
        <Status kind={kinds[status]} text={t(`refundStates.${status}`)} />
        <Time at={refund.created_at} className="ml-auto text-12 text-text2" />
      </div>
      <p className="mt-0.5 break-words">{t('reasonIs', { reason: refund.reason })}</p>
      <p className="text-12 break-words text-text2 tabular-nums">{facts.join(' · ')}</p>
      <p className="font-mono text-12 break-all text-text3">{numbers.join(' · ')}</p>
      {status === 'processing' && <RunningRefund refund={refund} order={order} />}
    </li>
  );
}

function RunningRefund({ refund, order }: { refund: Refund; order: OrderDetail }) {
  const { t } = useTranslation('paymentOrder');
  const { isRoot } = useSession();
  const { ask, settle } = useRefundActions(refund.id);
  const [settling, setSettling] = useState(false);
  return (
    <div className="mt-2 flex flex-wrap gap-2">
      <Button size="sm" icon={RefreshCw} saves busy={ask.isPending} onClick={() => ask.mutate()}>
        {t('askRefund', { gateway: order.gateway_name })}
      </Button>
      {isRoot && (
        <Button size="sm" onClick={() => setSettling(true)}>
          {t('settle')}
        </Button>
      )}
      {settling && (
        <SettleDialog
          refund={refund}
          gateway={order.gateway_name}
          onSettle={(body) => settle.mutateAsync(body)}
          onClose={() => setSettling(false)}
        />
      )}
    </div>
  );
}

interface Props {
  refund: Refund;
  gateway: string;
  onSettle: (body: { outcome: 'success' | 'refused'; remark: string }) => Promise<unknown>;
  onClose: () => void;
}

/** Ends a refund by hand after its result was looked up at the gateway. */
function SettleDialog({ refund, gateway, onSettle, onClose }: Props) {
  const { t } = useTranslation('paymentOrder');
  const [outcome, setOutcome] = useState<'success' | 'refused'>('success');
  const amount = formatMinor(refund.minor, refund.currency);
  return (
    <RemarkDialog
      title={t('settleTitle', { amount })}
      text={t('settleText', { gateway })}
      action={t(outcome === 'success' ? 'settleDone' : 'settleRefused')}
      danger
      onConfirm={(remark) => onSettle({ outcome, remark })}
      onClose={onClose}
    >
      <div>
        <Segmented
          label={t('outcome')}
          value={outcome}
          options={[
            { value: 'success', label: t('wasRefunded') },
            { value: 'refused', label: t('wasNotRefunded') },
          ]}
          onChange={setOutcome}
        />
        <p className="mt-2 text-13 text-text2">
          {t(outcome === 'success' ? 'settleDoneText' : 'settleRefusedText', { amount })}
        </p>
      </div>
    </RemarkDialog>
  );
}
