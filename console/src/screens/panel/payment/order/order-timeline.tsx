import type { OrderDetail, OrderEvent } from '@relay-hub/contract';
import { Check, X } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { TimelineItem } from '#domain/activity/timeline-item.tsx';
import { formatMinor } from '#domain/payment/minor-money.ts';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { formatDate, formatDateTime, formatTimeOfDay } from '#ui/format/time.ts';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { EventEvidence } from './event-evidence.tsx';
import { lookOf } from './event-looks.ts';
import { DetailSection } from '#ui/overlay/detail-section.tsx';
import { useEventText } from './use-event-text.ts';

/** Events of the order, oldest first. */
export function OrderTimeline({ order }: { order: OrderDetail }) {
  const { t } = useTranslation('paymentOrder');
  return (
    <DetailSection title={t('timeline')} aside={order.gateway_deleted ? t('gatewayDeleted') : order.gateway_name}>
      <ol>
        {order.events.map((event) => (
          <TimelineStep key={event.id} event={event} order={order} />
        ))}
      </ol>
    </DetailSection>
  );
}

interface StepProps {
  event: OrderEvent;
  /** Undefined for a notification without an order. */
  order?: OrderDetail | undefined;
  /** After the title, or after the checks. */
  children?: ReactNode;
}

/** One event with its checks and stored request. */
export function TimelineStep({ event, order, children }: StepProps) {
  const { t } = useTranslation('paymentOrder');
  const { title, lines } = useEventText()(event, order);
  const [shown, setShown] = useState(false);
  const [icon, tone] = lookOf(event);
  const evidenceId = `evidence-${event.id}`;
  const request = event.has_evidence && (
    <button
      type="button"
      aria-expanded={shown}
      aria-controls={evidenceId}
      onClick={() => setShown((now) => !now)}
      className="touch rounded-tile text-accent hover:underline"
    >
      {t(shown ? 'hideRequest' : 'showRequest')}
    </button>
  );
  return (
    <TimelineItem icon={icon} tone={tone}>
      <div className="flex gap-3">
        <p className="min-w-0 flex-1 break-words">
          {title}
          {children}
        </p>
        <EventTime event={event} day={order?.created_at} />
      </div>
      {event.checks.length > 0 && (
        <Checks event={event} order={order}>
          {lines.length === 0 && request}
        </Checks>
      )}
      {event.count > 1 && (
        <p className="text-12 text-text2 tabular-nums">
          {t('repeated', { count: event.count, time: formatDateTime(event.last_at) })}
        </p>
      )}
      {(lines.length > 0 || (request && event.checks.length === 0)) && (
        <p className="text-12 break-words text-text2 tabular-nums">
          {lines.join(' · ')} {request}
        </p>
      )}
      {shown && <EventEvidence id={evidenceId} event={event} />}
    </TimelineItem>
  );
}

/** Time of day on the day of the order, else with the date. */
function EventTime({ event: { created_at: at }, day }: { event: OrderEvent; day: number | undefined }) {
  const isSameDay = day !== undefined && formatDate(day) === formatDate(at);
  return (
    <Tooltip text={isSameDay && formatDateTime(at)}>
      <time dateTime={new Date(at * 1000).toISOString()} className="flex-none text-12/5 text-text2 tabular-nums">
        {isSameDay ? formatTimeOfDay(at) : formatDateTime(at).slice(5)}
      </time>
    </Tooltip>
  );
}

/** The checks of a notification in their order; the failed one is last. */
function Checks({ event: { checks, facts }, order, children }: StepProps) {
  const { t } = useTranslation('paymentOrder');
  const found = { amount: facts['amount'], currency: facts['currency'] };
  const word = (check: (typeof checks)[number]['check'], ok: boolean) => {
    if (check === 'amount' && order && ok) return formatMinor(order.order_minor, order.order_currency);
    if (check === 'amount' && order && found.amount)
      return t('amountDiffers', {
        got: found.amount,
        due: formatMinor(order.order_minor, order.order_currency),
      });
    if (check === 'currency' && found.currency) return found.currency;
    return t(`checks.${check}`);
  };
  return (
    <ul className="flex flex-wrap gap-x-3 text-12">
      {checks.map(({ check, ok }) => (
        <li key={check} className={cx('inline-flex items-center gap-1', ok ? 'text-ok' : 'text-bad')}>
          <Icon of={ok ? Check : X} size={14} />
          <span>
            {!ok && <span className="sr-only">{t('checkFailed')} </span>}
            {word(check, ok)}
          </span>
        </li>
      ))}
      {children && <li>{children}</li>}
    </ul>
  );
}
