import type { OwnOrder, OwnOrderDetail, PaymentStart } from '@relay-hub/contract';
import { ExternalLink, RefreshCw } from 'lucide-react';
import type { RefObject } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { formatMinor } from '#domain/payment/minor-money.ts';
import { canOpen, openTab, showPayment } from '#screens/panel/topup/pay/payment-page.ts';
import { Button } from '#ui/basic/button.tsx';
import { cx } from '#ui/basic/cx.ts';
import { QrCode } from '#ui/basic/qr-code.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { Note } from '#ui/feedback/note.tsx';
import { formatMoney } from '#ui/format/money.ts';
import { Money } from '#ui/format/money.tsx';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { formatLeft, formatTimeOfDay } from '#ui/format/time.ts';
import { ProgressBar } from '#ui/feedback/progress-bar.tsx';
import { useNow } from '#ui/format/use-now.ts';
import { OrderFact, OrderFacts, OrderNumber } from './order-facts.tsx';
import { useOrderActions } from './use-order-actions.ts';

interface Props {
  order: OwnOrderDetail;
  cancelled: boolean;
}

/** How to pay an order: QR code, payment page, time left. */
export function OrderWaiting({ order, cancelled }: Props) {
  const { t } = useTranslation('topup');
  const format = useSiteFormat();
  const phone = useIsPhone();
  const { start, gateway_name: gateway } = order;
  const byCode = start?.type === 2;
  return (
    <>
      {cancelled && (
        <div className="mb-4">
          <Note>{t('order.cancelledThere', { gateway })}</Note>
        </div>
      )}
      <div className={byCode ? 'grid gap-x-7 gap-y-4 sm:grid-cols-[auto_minmax(0,1fr)]' : 'grid'}>
        {byCode && <Code start={start} gateway={gateway} />}
        <div className="min-w-0 max-sm:order-first">
          <div className="border-b border-line pb-3.5 max-sm:border-0 max-sm:pb-0 max-sm:text-center">
            <p className="text-26 font-medium tracking-[-0.01em] tabular-nums">
              {formatMinor(order.order_minor, order.order_currency)}
            </p>
            <p className="text-13 text-text2">{t('order.adds', { amount: formatMoney(order.quota, format) })}</p>
          </div>
          {!phone && <Facts order={order} />}
          {!byCode && !cancelled && (
            <p className="mt-3.5 text-13 text-text2">{t(start ? 'order.inTab' : 'order.noStart', { gateway })}</p>
          )}
          {start && canOpen(start.data) && <OpenButton start={start} gateway={gateway} />}
        </div>
      </div>
      {phone && <Facts order={order} />}
    </>
  );
}

function Facts({ order }: { order: OwnOrderDetail }) {
  const { t } = useTranslation('topup');
  return (
    <div className="mt-3.5">
      <OrderFacts>
        <OrderFact name={t('order.number')}>
          <OrderNumber of={order.trade_no} />
        </OrderFact>
        <OrderFact name={t('order.balanceNow')}>
          <Money credits={order.balance} />
        </OrderFact>
        <OrderFact name={t('order.balanceAfter')}>
          <Money credits={order.balance + order.quota} className="font-title" />
        </OrderFact>
      </OrderFacts>
      <TimeLeft order={order} />
    </div>
  );
}

function Code({ start, gateway }: { start: PaymentStart; gateway: string }) {
  const { t } = useTranslation('topup');
  const phone = useIsPhone();
  return (
    <figure className="flex flex-col items-center gap-3">
      <div className="rounded-card border border-line bg-[#fff] p-3">
        <QrCode text={start.data.url} label={t('order.codeFor', { gateway })} size={phone ? 176 : 200} />
      </div>
      <figcaption className="text-center text-12 text-text2">
        {phone && canOpen(start.data) ? t('order.scanElsewhere') : t('order.scan', { gateway })}
      </figcaption>
    </figure>
  );
}

function OpenButton({ start, gateway }: { start: PaymentStart; gateway: string }) {
  const { t } = useTranslation('topup');
  const phone = useIsPhone();
  const open = () => {
    // Without a new tab, the gateway returns to this page.
    showPayment(openTab(t('pay.opening', { gateway })) ?? globalThis.window, start.data);
  };
  const isMain = phone || start.type === 1;
  return (
    <Button
      icon={ExternalLink}
      variant={isMain ? 'primary' : 'default'}
      size={phone ? 'lg' : 'md'}
      saves={false}
      onClick={open}
      className="mt-4 max-sm:w-full"
    >
      {start.type === 1 ? t('order.openPage') : t('order.openApp', { gateway })}
    </Button>
  );
}

interface FooterProps {
  order: OwnOrderDetail;
  main: RefObject<HTMLButtonElement | null>;
}

export function OrderWaitingFooter({ order, main }: FooterProps) {
  const { t } = useTranslation('topup');
  const { check, checking, cancel, cancelling, checkedAt } = useOrderActions(order.trade_no);
  return (
    <>
      <p
        role="status"
        className={cx(
          'min-w-0 text-12 text-text2 max-sm:w-full',
          order.start?.type === 2 ? 'mr-auto flex-1' : 'w-full',
        )}
      >
        {checkedAt
          ? t('order.checked', { time: formatTimeOfDay(checkedAt) })
          : order.start && t('order.closeHint', { time: formatTimeOfDay(order.expires_at).slice(0, 5) })}
      </p>
      <Button variant="ghost" busy={cancelling} saves onClick={cancel}>
        {t('order.cancel')}
      </Button>
      <Button ref={main} icon={RefreshCw} busy={checking} saves onClick={check}>
        {t('order.check')}
      </Button>
    </>
  );
}

/** How long an order can still be paid, as text and bar. */
function TimeLeft({ order }: { order: OwnOrder }) {
  const { t } = useTranslation('topup');
  const now = useNow(1);
  const { created_at: created, expires_at: expires, gateway_name: gateway } = order;
  const left = Math.max(0, expires - now);
  const text = left > 0 ? t('order.left', { time: formatLeft(left) }) : t('order.timeUp');
  return (
    <div className="mt-4">
      <div className="mb-1.5 flex items-center gap-2 text-12 text-text2">
        <span
          aria-hidden
          className="size-2 flex-none rounded-full bg-ok-g shadow-[0_0_0_4px_var(--color-ok-soft)] forced-color-adjust-none"
        />
        <span className="min-w-0 truncate">{t('order.waitingFor', { gateway })}</span>
        <span className="ml-auto flex-none tabular-nums">{text}</span>
      </div>
      <ProgressBar label={t('order.timeLeft')} value={left} max={expires - created} text={text} />
    </div>
  );
}
