import type { OrderDetail } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSession } from '#api/session.ts';
import { cx } from '#ui/basic/cx.ts';
import { CopyButton } from '#ui/basic/copy-button.tsx';
import { Money } from '#ui/format/money.tsx';
import { Time } from '#ui/format/time.tsx';
import { DetailSection } from '#ui/overlay/detail-section.tsx';

const link = 'touch truncate rounded-tile text-accent hover:underline';

/** Numbers, account and conversion of the order. */
export function OrderFacts({ order }: { order: OrderDetail }) {
  const { t } = useTranslation('paymentOrder');
  const { isRoot } = useSession();
  const { gateway_no: number, merchant, receipt_no: receipt, order_currency: currency } = order;
  return (
    <DetailSection title={t('details')}>
      <dl className="grid grid-cols-2 gap-x-6 text-13 max-sm:grid-cols-1">
        {number !== '' && (
          <Fact name={t('gatewayNumber')} wide>
            <span className="flex min-w-0 items-center font-mono text-12">
              <span className="break-all">{number}</span>
              <CopyButton text={number} name={t('gatewayNumber')} className="-my-1.5" />
            </span>
          </Fact>
        )}
        {merchant !== '' && <Fact name={t('merchant')}>{merchant}</Fact>}
        <Fact name={t('gateway')}>
          {isRoot && !order.gateway_deleted ? (
            <Link to="/panel/payment" search={{ tab: 'gateways', edit: String(order.gateway_id) }} className={link}>
              {order.gateway_name}
            </Link>
          ) : (
            order.gateway_name
          )}
        </Fact>
        <Fact name={t('buyer')}>
          <Link to="/panel/user" search={{ show: order.user_id }} className={link}>
            {order.username}
          </Link>
          <Link to="/panel/payment" search={{ keyword: order.username }} className={cx(link, 'ml-3 text-12')}>
            {t('ordersOf')}
          </Link>
        </Fact>
        <Fact name={t('credit')}>
          <Money credits={order.quota} />
        </Fact>
        <Fact name={t('currency')}>
          {currency === 'USD' ? currency : t('currencyRate', { currency, rate: order.rate })}
        </Fact>
        {order.source_ip !== '' && <Fact name={t('ip')}>{order.source_ip}</Fact>}
        {receipt !== '' && <Fact name={t('receipt')}>{receipt}</Fact>}
        {order.next_query_at > 0 && (
          <Fact name={t('nextQuery')}>
            <Time at={order.next_query_at} as="relative" />
          </Fact>
        )}
        {order.completed_by !== '' && (
          <Fact name={t('completedBy')}>
            {order.completed_by}
            {order.completed_remark !== '' && ` · ${order.completed_remark}`}
          </Fact>
        )}
      </dl>
    </DetailSection>
  );
}

function Fact({ name, wide = false, children }: { name: string; wide?: boolean; children: ReactNode }) {
  return (
    <div
      className={cx(
        'grid min-h-8 min-w-0 grid-cols-[112px_minmax(0,1fr)] items-center tabular-nums',
        wide && 'col-span-full',
      )}
    >
      <dt className="text-text2">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </div>
  );
}
