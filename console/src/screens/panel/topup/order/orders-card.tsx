import { isPaid, type OwnOrder } from '@relay-hub/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useId, useMemo } from 'react';
import { Link } from '@tanstack/react-router';
import { Printer } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { fewOrders, ordersQuery, type OrdersSearch } from '#screens/panel/topup/topup-api.ts';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { formatMoney } from '#ui/format/money.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { Pager } from '#ui/table/pager.tsx';
import { TableBody } from '#ui/table/table-body.tsx';
import { formatMinor } from '#domain/payment/minor-money.ts';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Time } from '#ui/format/time.tsx';
import { Button } from '#ui/basic/button.tsx';
import { GatewayTile } from '#domain/payment/gateway-tile.tsx';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import { Money } from '#ui/format/money.tsx';
import type { Column } from '#ui/table/table-column.ts';
import { useOnPaid } from './use-on-paid.ts';
import { OrderStatusText } from './order-status.tsx';
import { useOrderActions } from './use-order-actions.ts';

/** Amounts of unpaid orders are quieter: no money has moved. */
const tone = ({ status }: OwnOrder) => (isPaid(status) ? '' : 'text-text3');

function useOrderColumns(): readonly Column<OwnOrder>[] {
  const { t } = useTranslation('topup');
  return useMemo(
    (): Column<OwnOrder>[] => [
      { id: 'time', head: t('time'), width: 160, cell: (row) => <Time at={row.created_at} className="text-text2" /> },
      {
        id: 'order',
        head: t('orders.number'),
        width: 184,
        cell: (row) => (
          <span className="font-mono text-12 text-text2">
            <MiddleCut text={row.trade_no} tail={8} />
          </span>
        ),
      },
      { id: 'gateway', head: t('orders.gateway'), least: 110, cell: (row) => <GatewayName row={row} /> },
      { id: 'status', head: t('orders.status'), width: 236, cell: (row) => <OrderStatusText order={row} /> },
      {
        id: 'paid',
        head: t('orders.paid'),
        align: 'right',
        width: 112,
        cell: (row) => <span className={tone(row)}>{formatMinor(row.order_minor, row.order_currency)}</span>,
      },
      {
        id: 'credit',
        head: t('orders.credit'),
        align: 'right',
        width: 104,
        cell: (row) => <Money credits={row.quota} className={tone(row)} />,
      },
    ],
    [t],
  );
}

function GatewayName({ row }: { row: OwnOrder }) {
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-2 align-middle">
      <GatewayTile name={row.gateway_name} type={row.gateway_type} icon={row.gateway_icon} size={20} />
      <span className="truncate">{row.gateway_name}</span>
    </span>
  );
}

interface OrderListProps {
  /** Undefined while loading. */
  rows: readonly OwnOrder[] | undefined;
}

const line = 'flex min-h-14.5 flex-col justify-center gap-1 border-t border-line px-4 py-2.5';

/** Orders on phones. */
function OrderList({ rows }: OrderListProps) {
  return (
    <ul>
      {rows?.map((row) => (
        <li key={row.id} className={line}>
          <span className="flex items-center gap-3">
            <span className="min-w-0 flex-1">
              <GatewayName row={row} />
            </span>
            <span className="font-title tabular-nums">{formatMinor(row.order_minor, row.order_currency)}</span>
          </span>
          <span className="flex items-center gap-3 text-12 text-text2">
            <span className="min-w-0 flex-1">
              <OrderStatusText order={row} />
            </span>
            <Time at={row.created_at} />
          </span>
          <span className="flex justify-end pt-1 empty:hidden">
            <OrderActions order={row} />
          </span>
        </li>
      ))}
      {!rows &&
        Array.from({ length: fewOrders }, (_, index) => (
          <li key={index} className={line}>
            <Skeleton width="60%" />
          </li>
        ))}
    </ul>
  );
}

interface Props {
  search: OrdersSearch;
  /** Order of the open dialog, which announces its payment itself. */
  open: string;
  onSearch: (change: Partial<OrdersSearch>) => void;
}

const noOrders: readonly OwnOrder[] = [];
const idOf = ({ id }: OwnOrder) => id;
const nameOf = ({ trade_no: no }: OwnOrder) => no;
const actionsOf = (order: OwnOrder) => <OrderActions order={order} />;

/** The own orders: the newest, or all by pages. */
export function OrdersCard({ search, open, onSearch }: Props) {
  const { t } = useTranslation('topup');
  const format = useSiteFormat();
  const phone = useIsPhone();
  const columns = useOrderColumns();
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    ...ordersQuery(search),
    placeholderData: keepPreviousData,
  });
  const id = useId();
  const rows = data?.data;
  useOnPaid(rows ?? noOrders, (order) => {
    if (order.trade_no !== open) toast.success(t('order.added', { amount: formatMoney(order.quota, format) }));
  });
  const more = (data?.total_count ?? 0) > fewOrders;
  return (
    <Card aria-labelledby={id} className="mt-4 min-w-0 overflow-clip max-sm:mt-2">
      <CardHead id={id} title={t('orders.title')}>
        {(more || search.all) && (
          <button
            type="button"
            onClick={() => onSearch({ all: !search.all, page: 1 })}
            className="touch text-13 text-accent hover:underline"
          >
            {t(search.all ? 'orders.fewer' : 'orders.all')}
          </button>
        )}
      </CardHead>
      {error && !data ? (
        <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
      ) : rows?.length === 0 ? (
        <p className="border-t border-line px-4 py-6 text-center text-13 text-text2">{t('orders.none')}</p>
      ) : phone ? (
        <OrderList rows={rows} />
      ) : (
        <TableBody
          label={t('orders.title')}
          columns={columns}
          rows={rows}
          keyOf={idOf}
          nameOf={nameOf}
          actions={actionsOf}
          keepActions
          actionsWidth={176}
          compact
          order=""
          onOrder={() => undefined}
          busy={isPlaceholderData && isFetching}
          skeletonRows={fewOrders}
          nothing={null}
        />
      )}
      {search.all && data && (
        <div className="border-t border-line">
          <Pager
            page={search.page}
            size={search.size}
            total={data.total_count}
            onPage={(page) => onSearch({ page })}
            onSize={(size) => onSearch({ size, page: 1 })}
          />
        </div>
      )}
    </Card>
  );
}

/** Resume and cancel while an order is unpaid; its receipt afterwards. */
function OrderActions({ order }: { order: OwnOrder }) {
  const { t } = useTranslation('topup');
  const { cancel, cancelling } = useOrderActions(order.trade_no);
  const { trade_no: no } = order;
  if (order.status === 'pending')
    return (
      <span className="inline-flex gap-1">
        <Button
          variant="ghost"
          size="sm"
          busy={cancelling}
          saves
          aria-label={t('orders.cancelOf', { no })}
          onClick={cancel}
        >
          {t('orders.cancel')}
        </Button>
        <Button
          size="sm"
          render={
            <Link
              to="/panel/topup"
              search={(now) => ({ ...now, order: no, cancelled: '' })}
              resetScroll={false}
              aria-label={t('orders.resumeOf', { no })}
            />
          }
        >
          {t('orders.resume')}
        </Button>
      </span>
    );
  if (order.receipt_no === '') return null;
  return (
    <Button
      size="sm"
      icon={Printer}
      render={<Link to="/panel/topup/receipt" search={{ order: no }} aria-label={t('orders.receiptOf', { no })} />}
    >
      {t('order.receipt')}
    </Button>
  );
}
