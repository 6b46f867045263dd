import type { OwnOrder } from '@relay-hub/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useId } from 'react';
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
import { OrderActions } from './order-row-actions.tsx';
import { OrderList } from './order-list.tsx';
import { useOnPaid } from './use-on-paid.ts';
import { useOrderColumns } from './use-order-columns.tsx';

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
