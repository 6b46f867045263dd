import type { Order } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSession } from '#api/session.ts';
import { CreateButton } from '#list/create-button.tsx';
import { useListScreen } from '#list/use-list-screen.ts';
import { PageHeader } from '#ui/basic/page-header.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { TabPanel, Tabs } from '#ui/basic/tabs.tsx';
import { filtersIn } from '#list/list-filters.ts';
import { AttentionButton } from './orders/attention-button.tsx';
import { OrdersTab } from './orders/orders-tab.tsx';
import { StraysButton } from './orders/strays-button.tsx';
import { gatewayList, gatewaysIn } from './payment-api.ts';
import { noOrderFilters, paymentTabs, type PaymentTab } from './payment-search.ts';

const loadGateways = () => import('./gateways/gateways-tab.tsx');
const GatewaysTab = lazy(async () => ({ default: (await loadGateways()).GatewaysTab }));
const loadForm = () => import('./gateway-form/gateway-drawer.tsx');
const GatewayDrawer = lazy(async () => ({ default: (await loadForm()).GatewayDrawer }));
const OrderDrawer = lazy(async () => ({ default: (await import('./order/order-drawer.tsx')).OrderDrawer }));
const ReconciliationTab = lazy(async () => ({
  default: (await import('./reconciliation/reconciliation-tab.tsx')).ReconciliationTab,
}));

const route = getRouteApi('/panel/payment');
const noOrders: Order[] = [];

/** Orders, gateways and reconciliation of online payments. */
export function PaymentScreen() {
  const { t } = useTranslation('payment');
  const { search, go } = useListScreen(route.useSearch(), route.useNavigate());
  const { tab, edit } = search;
  const [created, setCreated] = useState('');
  const phone = useIsPhone();
  const { isRoot } = useSession();
  const gateways = useQuery(gatewayList);
  const list = gatewaysIn(gateways.data);
  const show = (next: PaymentTab) => go({ tab: next, id: 0, edit: '' }, { replace: true, resetScroll: false });
  const addGateway = () => go({ tab: 'gateways', edit: 'new', id: 0 });
  // Keys decide which payments are believed, so only a super administrator enters them.
  const add = isRoot && <CreateButton label={t('addGateway')} preload={loadForm} onCreate={addGateway} />;
  return (
    <>
      <PageHeader title={t('title')}>
        {/* The tabs keep their place when the button comes and goes. */}
        {!phone && (tab === 'gateways' && list.length > 0 ? add : <span className="h-8.5" />)}
      </PageHeader>
      <Tabs
        id="payment"
        label={t('tabsLabel')}
        value={tab}
        tabs={paymentTabs.map((value) => ({
          value,
          label: t(`tabs.${value}`),
          badge: value === 'gateways' && list.length > 0 ? list.length : undefined,
        }))}
        onChange={show}
      >
        {tab === 'orders' && !phone && <StraysButton />}
        {tab === 'orders' && !phone && (
          <AttentionButton
            filter={filtersIn(noOrderFilters, search)}
            onChange={(filter) => go({ ...filter, page: 1 })}
          />
        )}
      </Tabs>
      <TabPanel id="payment" value={tab} className="pt-3">
        <Suspense fallback={<div className="min-h-dvh" />}>
          {tab === 'orders' && <OrdersTab search={search} gateways={gateways} add={add} onGo={go} />}
          {tab === 'gateways' && (
            <GatewaysTab
              query={gateways}
              filter={{ q: search.q, type: search.type }}
              add={add}
              edit={edit}
              onFilter={(filter) => go(filter)}
              onOpen={(id) => go({ edit: String(id) })}
            />
          )}
          {tab === 'reconciliation' && <ReconciliationTab gateways={list} add={add} />}
        </Suspense>
      </TabPanel>
      <Suspense>
        {tab === 'reconciliation' && search.id > 0 && (
          <OrderDrawer
            id={search.id}
            rows={noOrders}
            onGo={(id) => go({ id }, { replace: true, resetScroll: false })}
          />
        )}
        {edit !== '' && (
          <GatewayDrawer
            key={edit}
            edit={edit}
            testFirst={edit === created}
            onCreated={(id) => {
              setCreated(String(id));
              go({ edit: String(id) }, { replace: true });
            }}
            onClose={() => go({ edit: '' })}
          />
        )}
      </Suspense>
    </>
  );
}
