import type { Order, Page, PaymentGateway } from '@relay-hub/contract';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { ReceiptText } from 'lucide-react';
import { lazy, Suspense, type ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { filtersIn } from '#list/list-filters.ts';
import { rowId } from '#list/use-list-screen.ts';
import { useRowInSight } from '#ui/table/active-row.ts';
import { DataTable } from '#ui/table/data-table.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { gatewaysIn, orderPage, orderTotals } from '#screens/panel/payment/payment-api.ts';
import { noOrderFilters, orderDefaults, type PaymentSearch } from '#screens/panel/payment/payment-search.ts';
import { OrderCounts } from './order-sums.tsx';
import { useOrderColumns } from './use-order-columns.tsx';
import { useOrderToolbar } from './use-order-toolbar.tsx';

const OrderDrawer = lazy(async () => ({
  default: (await import('#screens/panel/payment/order/order-drawer.tsx')).OrderDrawer,
}));

interface Props {
  search: PaymentSearch;
  gateways: UseQueryResult<Page<PaymentGateway>>;
  /** The button that adds a gateway. */
  add: ReactNode;
  onGo: (change: Partial<PaymentSearch>, options?: { replace?: boolean; resetScroll?: boolean }) => void;
}

const noRows: Order[] = [];

/** The orders; one opens next to the list. */
export function OrdersTab({ search, gateways, add, onGo }: Props) {
  const { t } = useTranslation('payment');
  const list = filtersIn(orderDefaults, search);
  const filter = filtersIn(noOrderFilters, search);
  const page = useQuery(orderPage(list));
  const totals = useQuery(orderTotals(filter)).data;
  const { id } = search;
  const show = (next: number, replace: boolean) => onGo({ id: next }, { replace, resetScroll: false });
  const toolbar = useOrderToolbar({
    filter,
    gateways: gatewaysIn(gateways.data),
    totals,
    onChange: (next) => onGo({ ...next, page: 1 }),
  });
  useRowInSight(id);
  const none = gateways.data?.total_count === 0;
  return (
    <>
      {/* Rows scroll into view below the sticky header. */}
      <div className="[&_tr]:scroll-mt-24 [&_tr]:scroll-mb-4">
        <DataTable
          name="payment-orders"
          label={t('tabs.orders')}
          columns={useOrderColumns()}
          page={page}
          search={list}
          onSearch={onGo}
          keyOf={rowId}
          nameOf={(order) => t('orderName', { number: order.trade_no })}
          toolbar={toolbar}
          empty={
            <EmptyState
              icon={ReceiptText}
              title={t('emptyTitle')}
              text={t(none ? 'emptyNoGateway' : 'emptyText')}
              action={none && add}
            />
          }
          onOpen={(order) => show(order.id, id > 0)}
          activeKey={id > 0 ? id : undefined}
          summary={totals && totals.count > 0 ? <OrderCounts totals={totals} /> : undefined}
          note={t('formula')}
        />
      </div>
      {id > 0 && (
        <Suspense>
          <OrderDrawer id={id} rows={page.data?.data ?? noRows} onGo={(next) => show(next, true)} />
        </Suspense>
      )}
    </>
  );
}
