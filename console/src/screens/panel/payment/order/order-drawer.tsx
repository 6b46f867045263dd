import { type Dispute, type Order, orderApi, type OrderDetail } from '@relay-hub/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { refresh } from '#api/api-query.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { newReference } from '#domain/quota/quota-api.ts';
import { activeRow } from '#ui/table/active-row.ts';
import { GatewayTile } from '#domain/payment/gateway-tile.tsx';
import { formatMinor } from '#domain/payment/minor-money.ts';
import { CopyButton } from '#ui/basic/copy-button.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Time } from '#ui/format/time.tsx';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { DetailDrawer } from '#ui/overlay/detail-drawer.tsx';
import { OrderStatus } from '#screens/panel/payment/orders/order-status.tsx';
import { orderById } from '#screens/panel/payment/payment-api.ts';
import { Button } from '#ui/basic/button.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { formatMoney } from '#ui/format/money.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { formatDateTime } from '#ui/format/time.ts';
import { DetailSection } from '#ui/overlay/detail-section.tsx';
import { OrderEntries } from './order-entries.tsx';
import { OrderFacts } from './order-facts.tsx';
import { OrderFooter } from './order-footer.tsx';
import { OrderRefunds } from './order-refunds.tsx';
import { OrderTiles } from './order-tiles.tsx';
import { OrderTimeline } from './order-timeline.tsx';
import { RefundForm } from './refund-form.tsx';
import { useRefundForm } from './use-refund-form.ts';
import { RemarkDialog } from './remark-dialog.tsx';
import { useOrderActions } from './use-order-actions.ts';

/** Disputes of the payment, newest first. */
function OrderDisputes({ order: { disputes } }: { order: OrderDetail }) {
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

interface Props {
  id: number;
  /** The list's rows, for next and previous. */
  rows: readonly Order[];
  /** Shows another order; 0 closes. */
  onGo: (id: number) => void;
}

const soonMs = 5000;

/** Whether the order changes without the operator. */
const isMoving = (order: OrderDetail | undefined): boolean =>
  order !== undefined && (order.status === 'pending' || order.refunds.some(({ status }) => status === 'processing'));

/** One order next to the list: sums, events, refunds. */
export function OrderDrawer({ id, rows, onGo }: Props) {
  const { t } = useTranslation('paymentOrder');
  const [refunding, setRefunding] = useState({ id: 0, reference: '' });
  const at = rows.findIndex((row) => row.id === id);
  const { data, error, isFetching, refetch } = useQuery({
    ...orderById(id),
    staleTime: 0,
    refetchInterval: ({ state }) => isMoving(state.data) && soonMs,
  });
  useListInStep(data, rows[at]);
  const isRefunding = refunding.id === id && data !== undefined;
  const close = () => setRefunding({ id: 0, reference: '' });
  const refund = useRefundForm(data, isRefunding ? refunding.reference : '', close);
  const order = data ?? rows[at];
  const to = (index: number) => {
    const next = at < 0 || isRefunding ? undefined : rows[index];
    return next && (() => onGo(next.id));
  };
  return (
    <DetailDrawer
      wide
      returnTo={activeRow}
      title={
        order
          ? t('title', { sum: formatMinor(order.order_minor, order.order_currency), user: order.username })
          : t('order')
      }
      subtitle={order && <Subtitle order={order} />}
      tile={order && <GatewayTile name={order.gateway_name} type={order.gateway_type} icon={order.gateway_icon} />}
      onPrevious={to(at - 1)}
      onNext={to(at + 1)}
      footer={
        data && (
          <OrderFooter
            order={data}
            refund={isRefunding ? refund : undefined}
            onRefund={() => {
              refund.form.reset();
              setRefunding({ id, reference: newReference() });
            }}
            onCancel={close}
          />
        )
      }
      onClose={() => onGo(0)}
    >
      {error && !data && <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />}
      {!error && !data && <Loading />}
      {data && (
        <div key={id}>
          <OrderAttention order={data} />
          <OrderTiles order={data} />
          {isRefunding && <RefundForm order={data} refund={refund} />}
          <OrderTimeline order={data} />
          <OrderRefunds order={data} />
          <OrderDisputes order={data} />
          <OrderEntries order={data} />
          <OrderFacts order={data} />
        </div>
      )}
    </DetailDrawer>
  );
}

/** Refreshes the list when the open order has changed since the list was loaded. */
function useListInStep(order: OrderDetail | undefined, row: Order | undefined) {
  const client = useQueryClient();
  // The time of the change that the list lacks.
  const missing = order !== undefined && order.id === row?.id && order.updated_at > row.updated_at && order.updated_at;
  useEffect(() => {
    if (missing) void refresh(client, orderApi.list, orderApi.totals);
  }, [client, missing]);
}

function Subtitle({ order }: { order: Order }) {
  const { t } = useTranslation('paymentOrder');
  const phone = useIsPhone();
  return (
    <>
      <OrderStatus order={order} short />
      {!phone && <Time at={order.paid_at || order.created_at} />}
      <span className="-my-1 inline-flex min-w-0 items-center font-mono text-12 text-text3">
        <Tooltip text={order.trade_no} repeatsName>
          <span>
            <span className="sr-only">{order.trade_no}</span>
            <span aria-hidden>{shortNumber(order.trade_no)}</span>
          </span>
        </Tooltip>
        <CopyButton text={order.trade_no} name={t('number')} />
      </span>
    </>
  );
}

/** The date, and the end that differs between orders. */
const shortNumber = (number: string): string => `${number.slice(0, 8)}…${number.slice(-6)}`;

function Loading() {
  return (
    <div className="grid grid-cols-1 gap-5">
      <Skeleton className="h-19 rounded-card" />
      <Skeleton className="h-50 rounded-card" />
      <Skeleton className="h-30 rounded-card" />
    </div>
  );
}

/** Why the order needs attention and what to do, until an operator marks it as handled. */
function OrderAttention({ order }: { order: OrderDetail }) {
  const { t } = useTranslation('paymentOrder');
  const [asking, setAsking] = useState(false);
  const { dismiss } = useOrderActions(order);
  const { attention } = order;
  if (attention === 'none') return null;
  return (
    <div className="mb-4">
      <Note tone="warn">
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <p className="min-w-0 flex-1 basis-60">
            <b className="font-title">{t(`attentions.${attention}`)}</b> {t(`attentionTexts.${attention}`)}
          </p>
          <Button size="sm" onClick={() => setAsking(true)}>
            {t('dismiss')}
          </Button>
        </div>
      </Note>
      {asking && (
        <RemarkDialog
          title={t('dismissTitle')}
          text={t('dismissText')}
          action={t('dismiss')}
          onConfirm={(remark) => dismiss.mutateAsync(remark)}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  );
}
