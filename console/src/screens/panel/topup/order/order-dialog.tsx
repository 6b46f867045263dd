import { isPaid, type OwnOrderDetail } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleMinus, TriangleAlert } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useMemo, useRef } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { GatewayTile } from '#domain/payment/gateway-tile.tsx';
import { orderQuery } from '#screens/panel/topup/topup-api.ts';
import type { IconShape } from '#ui/basic/icon.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { formatMoney } from '#ui/format/money.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { formatMinor } from '#domain/payment/minor-money.ts';
import { Button } from '#ui/basic/button.tsx';
import { formatDateTime } from '#ui/format/time.ts';
import { endOf } from './order-end.ts';
import { OrderPaid, OrderPaidFooter } from './order-paid.tsx';
import { OrderWaiting, OrderWaitingFooter } from './order-waiting.tsx';
import { useOnPaid } from './use-on-paid.ts';
import { OrderFact, OrderFacts, OrderNumber } from './order-facts.tsx';
import { useOrderActions } from './use-order-actions.ts';

interface Props {
  tradeNo: string;
  /** The payer cancelled on the gateway's page. */
  cancelled: boolean;
  onClose: () => void;
}

const useOrder = (tradeNo: string) => useQuery(orderQuery(tradeNo));

/** An order: how to pay it, whether it was paid, and what to do if not. Follows the order while it is open. */
export function OrderDialog({ tradeNo, cancelled, onClose }: Props) {
  const { t } = useTranslation('topup');
  const query = useOrder(tradeNo);
  const { data: order } = query;
  useOnPaid(useMemo(() => (order ? [order] : []), [order]));
  const main = useRef<HTMLButtonElement>(null);
  const view = useView(order, cancelled, main);
  useFocusOnChange(main, view?.title);
  return (
    <Dialog
      title={view?.title ?? t('order.title')}
      text={view?.text}
      mark={view?.mark}
      icon={view?.icon}
      iconTone={view?.iconTone}
      width={view?.wide === false ? 440 : 600}
      initialFocus={main}
      onClose={onClose}
      footer={view && ((close) => view.footer(close))}
    >
      {/* One element in all states, so that its changes are announced. */}
      <p role="status" className="sr-only">
        {view && order?.status !== 'pending' && [view.title, view.text].filter(Boolean).join('. ')}
      </p>
      {view?.content ?? <Loading query={query} />}
    </Dialog>
  );
}

/** Focuses the main button when the state changes: the button that had the focus disappears. */
function useFocusOnChange(main: RefObject<HTMLButtonElement | null>, state: string | undefined): void {
  const before = useRef(state);
  useEffect(() => {
    // At first the dialog sets the focus, after it has noted where to return it.
    if (before.current !== state) main.current?.focus({ preventScroll: true });
    before.current = state;
  }, [main, state]);
}

function Loading({ query: { error, isFetching, refetch } }: { query: ReturnType<typeof useOrder> }) {
  if (error) return <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />;
  return (
    <div className="grid h-56 content-start gap-5" aria-busy>
      <Skeleton width="40%" />
      <Skeleton width="70%" />
      <Skeleton width="60%" />
    </div>
  );
}

interface View {
  title: string;
  text?: string;
  mark?: ReactNode;
  icon?: IconShape;
  iconTone?: string;
  wide: boolean;
  content: ReactNode;
  footer: (close: () => void) => ReactNode;
}

/** Contents of the dialog by the state of the order; undefined until it is loaded. */
function useView(
  order: OwnOrderDetail | undefined,
  cancelled: boolean,
  main: RefObject<HTMLButtonElement | null>,
): View | undefined {
  const { t } = useTranslation('topup');
  const format = useSiteFormat();
  if (!order) return undefined;
  const { status, gateway_name: name } = order;
  if (status === 'pending')
    return {
      title: t('order.payWith', { gateway: name }),
      mark: <GatewayTile name={name} type={order.gateway_type} icon={order.gateway_icon} />,
      wide: order.start?.type === 2,
      content: <OrderWaiting order={order} cancelled={cancelled} />,
      footer: () => <OrderWaitingFooter order={order} main={main} />,
    };
  if (isPaid(status))
    return {
      title: t('order.paid'),
      text: t('order.added', { amount: formatMoney(order.quota, format) }),
      icon: CircleCheck,
      wide: false,
      content: <OrderPaid order={order} />,
      footer: (close) => <OrderPaidFooter order={order} main={main} onClose={close} />,
    };
  const failed = status === 'failed';
  return {
    title: t(`order.${endOf(order)}`),
    icon: failed ? TriangleAlert : CircleMinus,
    iconTone: failed ? 'text-bad' : 'text-text2',
    wide: false,
    content: <OrderEnded order={order} />,
    footer: (close) => <OrderEndedFooter order={order} main={main} onClose={close} />,
  };
}

/** An order that was not paid, and what to do. */
function OrderEnded({ order }: { order: OwnOrderDetail }) {
  const { t } = useTranslation('topup');
  return (
    <>
      <p className="mb-4 text-text2">{t(`order.${endOf(order)}Text`, { gateway: order.gateway_name })}</p>
      <OrderFacts>
        <OrderFact name={t('order.sum')}>{formatMinor(order.order_minor, order.order_currency)}</OrderFact>
        <OrderFact name={t('order.created')}>{formatDateTime(order.created_at)}</OrderFact>
        <OrderFact name={t('order.number')}>
          <OrderNumber of={order.trade_no} />
        </OrderFact>
      </OrderFacts>
    </>
  );
}

interface FooterProps {
  order: OwnOrderDetail;
  main: RefObject<HTMLButtonElement | null>;
  onClose: () => void;
}

function OrderEndedFooter({ order, main, onClose }: FooterProps) {
  const { t } = useTranslation('topup');
  const { check, checking, checkedAt } = useOrderActions(order.trade_no);
  return (
    <>
      <p role="status" className="mr-auto min-w-0 flex-1 text-12 text-text2">
        {checkedAt !== undefined && t('order.notFound')}
      </p>
      {order.status !== 'failed' && (
        <Button variant="ghost" busy={checking} saves onClick={check}>
          {t('order.havePaid')}
        </Button>
      )}
      <Button ref={main} variant="primary" saves={false} onClick={onClose}>
        {t('order.again')}
      </Button>
    </>
  );
}
