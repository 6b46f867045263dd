import { orderApi, type OrderDetail, type OrderEvent, type OrderEventKind } from '@relay-hub/contract';
import {
  Ban,
  Check,
  CircleCheck,
  CircleMinus,
  Gift,
  Hand,
  Plus,
  QrCode,
  RefreshCw,
  Scale,
  ShieldCheck,
  ShieldX,
  SquareArrowOutUpRight,
  TriangleAlert,
  Undo2,
  X,
} from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { TimelineItem } from '#domain/activity/timeline-item.tsx';
import { formatMinor } from '#domain/payment/minor-money.ts';
import { cx } from '#ui/basic/cx.ts';
import { Icon, type IconShape } from '#ui/basic/icon.tsx';
import { formatDate, formatDateTime, formatTimeOfDay } from '#ui/format/time.ts';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { DetailSection } from '#ui/overlay/detail-section.tsx';
import { apiQuery } from '#api/api-query.ts';
import { CopyButton } from '#ui/basic/copy-button.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { useEventText } from './use-event-text.ts';

type Look = readonly [icon: IconShape, tone: string];

const [plain, good, warn, bad] = ['text-text2', 'text-ok', 'text-warn', 'text-bad'];

const looks: Record<OrderEventKind, Look> = {
  created: [Plus, plain],
  started: [SquareArrowOutUpRight, plain],
  start_failed: [TriangleAlert, bad],
  start_unknown: [TriangleAlert, warn],
  notice_accepted: [ShieldCheck, good],
  notice_repeated: [ShieldCheck, plain],
  notice_ignored: [Ban, plain],
  notice_refused: [ShieldX, bad],
  second_payment: [TriangleAlert, warn],
  queried: [RefreshCw, plain],
  query_failed: [TriangleAlert, warn],
  credited: [CircleCheck, good],
  cancelled: [CircleMinus, plain],
  closed: [CircleMinus, plain],
  reward_paid: [Gift, plain],
  completed_by_hand: [Hand, warn],
  refund_started: [Undo2, plain],
  refund_done: [CircleCheck, good],
  refund_refused: [Ban, warn],
  refund_unknown: [TriangleAlert, warn],
  refund_elsewhere: [TriangleAlert, warn],
  reward_taken_back: [Gift, plain],
  dispute_opened: [Scale, warn],
  dispute_won: [Scale, good],
  dispute_lost: [Scale, bad],
  dismissed: [Check, plain],
};

/** Icon and colour of an event. */
const lookOf = ({ kind, facts }: Pick<OrderEvent, 'kind' | 'facts'>): Look =>
  kind === 'started' && facts['show'] === 'qr' ? [QrCode, plain] : looks[kind];

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

/** The stored request or response of an event. */
function EventEvidence({ id, event }: { id: string; event: OrderEvent }) {
  const { t } = useTranslation('paymentOrder');
  const { data, error } = useQuery({
    ...apiQuery(orderApi.evidence, { params: { id: event.id } }),
    staleTime: Infinity,
    meta: { quiet: true },
  });
  return (
    <div id={id} className="mt-1.5">
      {error && <Note tone="bad">{error.message}</Note>}
      {!data && !error && <Skeleton className="h-16 rounded-control" />}
      {data && (
        <div className="flex items-start rounded-control border border-line bg-sunk">
          <pre
            tabIndex={0}
            role="group"
            aria-label={t('request')}
            className="max-h-60 min-w-0 flex-1 overflow-auto rounded-control px-3 py-2 font-mono text-12/4.5 break-all whitespace-pre-wrap"
          >
            {data.text}
          </pre>
          <div className="flex-none p-1">
            <CopyButton text={data.text} name={t('request')} />
          </div>
        </div>
      )}
    </div>
  );
}
