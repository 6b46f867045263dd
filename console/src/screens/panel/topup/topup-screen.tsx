import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSite } from '#api/site.ts';
import { gatewaysQuery } from '#domain/payment/payment-api.ts';
import { offersQuery } from '#domain/plan/plan-api.ts';
import { Card } from '#ui/basic/card.tsx';
import { PageHeader } from '#ui/basic/page-header.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { useSelf } from '#api/self.ts';
import { Money } from '#ui/format/money.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { useSession } from '#api/session.ts';
import { Note } from '#ui/feedback/note.tsx';
import { BalanceFigure, BalanceLine } from './balance-figure.tsx';
import { InviteCard } from './invite-card.tsx';
import { loadOrderDialog } from './order/load-order-dialog.ts';
import { OrdersCard } from './order/orders-card.tsx';
import { WaitingStrip } from './order/waiting-strip.tsx';
import { PaymentForm } from './pay/payment-form.tsx';
import { RecentCredits } from './recent-credits.tsx';
import { RedeemCard } from './redeem-card.tsx';
import { myPlansQuery, ordersQuery, type OrdersSearch, otherCreditsQuery, recentQuery } from './topup-api.ts';

const OrderDialog = lazy(async () => ({ default: (await loadOrderDialog()).OrderDialog }));

const loadPlans = () => import('./plan/plan-parts.tsx');
const MyPlans = lazy(async () => ({ default: (await loadPlans()).MyPlans }));
const PlanOffers = lazy(async () => ({ default: (await loadPlans()).PlanOffers }));

const route = getRouteApi('/panel/topup');

export function TopupScreen() {
  const { t } = useTranslation('topup');
  const { order, cancelled, ...search } = route.useSearch();
  const navigate = route.useNavigate();
  const open = (tradeNo: string) =>
    void navigate({ search: (now) => ({ ...now, order: tradeNo, cancelled: '' }), resetScroll: false });
  return (
    <>
      <PageHeader title={t('title')} text={t('text')} />
      <TopupCards
        search={search}
        order={order}
        onOpen={open}
        onSearch={(change) => void navigate({ search: (now) => ({ ...now, ...change }), resetScroll: false })}
      />
      {order !== '' && (
        <Suspense>
          <OrderDialog key={order} tradeNo={order} cancelled={cancelled !== ''} onClose={() => open('')} />
        </Suspense>
      )}
    </>
  );
}

interface CardsProps {
  search: OrdersSearch;
  order: string;
  onOpen: (tradeNo: string) => void;
  onSearch: (change: Partial<OrdersSearch>) => void;
}

/** Drawn once gateways, orders and plans are known: cards that appeared later would push the others down. */
function TopupCards({ search, order, onOpen, onSearch }: CardsProps) {
  const site = useSite();
  const phone = useIsPhone();
  const gateways = useQuery(gatewaysQuery);
  const orders = useQuery({ ...ordersQuery(search), placeholderData: keepPreviousData });
  const plans = useQuery(offersQuery);
  const mine = useQuery(myPlansQuery);
  if (!site || gateways.isPending || orders.isPending || plans.isPending || mine.isPending) return null;
  const offered = gateways.data ?? [];
  const hasOrders = offered.length > 0 || (orders.data?.total_count ?? 0) > 0;
  const sells = plans.error !== null || plans.data.length > 0;
  const offers = sells && <PlanOffers gateways={offered} onStarted={onOpen} />;
  return (
    <Suspense>
      {(mine.error ?? mine.data?.length !== 0) && <MyPlans />}
      {!phone && offers}
      {offered.length > 0 ? (
        <>
          {phone && (
            <>
              <Card className="mb-2 px-4 py-3">
                <BalanceLine />
              </Card>
              <WaitingStrip search={search} />
            </>
          )}
          <div className="grid grid-cols-1 gap-4 max-sm:gap-2 lg:grid-cols-[minmax(0,1fr)_376px] lg:grid-rows-[1fr_auto]">
            <PaymentForm site={site} gateways={offered} onStarted={onOpen} />
            <RedeemCard secondary />
          </div>
        </>
      ) : (
        <div className="grid gap-4 max-sm:gap-2 lg:grid-cols-[minmax(0,1fr)_376px]">
          <div className="lg:order-last">
            <BalanceCard />
          </div>
          <div className="flex min-w-0 flex-col gap-4 max-sm:gap-2">
            {gateways.error ? (
              <Card>
                <ErrorState
                  text={gateways.error.message}
                  busy={gateways.isFetching}
                  onRetry={() => void gateways.refetch()}
                />
              </Card>
            ) : (
              <NoGateways />
            )}
            <RedeemCard />
            {!hasOrders && <InviteCard />}
          </div>
        </div>
      )}
      {phone && offers}
      {hasOrders && <OrdersCard search={search} open={order} onSearch={onSearch} />}
      {hasOrders && (
        <div className="mt-4 max-sm:mt-2">
          <InviteCard />
        </div>
      )}
      <RecentCredits query={hasOrders ? otherCreditsQuery : recentQuery} others={hasOrders} />
    </Suspense>
  );
}

/** The balance with the account's total usage. */
function BalanceCard() {
  const { t } = useTranslation('topup');
  const { data: self, error, isFetching, refetch } = useSelf();
  if (error && !self)
    return (
      <Card>
        <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
      </Card>
    );
  return (
    <Card className="px-6 py-5 max-sm:p-4">
      <BalanceFigure />
      <dl className="-mx-6 mt-4 grid grid-cols-[1fr_auto] gap-y-2.5 border-t border-line px-6 pt-3.5 tabular-nums max-sm:-mx-4 max-sm:px-4">
        <dt className="text-text2">{t('used')}</dt>
        <dd className="text-right">{self && <Money credits={self.used_quota} />}</dd>
        <dt className="text-text2">{t('calls')}</dt>
        <dd className="text-right">{self && formatWhole(self.request_count)}</dd>
      </dl>
    </Card>
  );
}

/** Says that nothing can be paid online, and what to do. */
function NoGateways() {
  const { t } = useTranslation('topup');
  const { isAdmin } = useSession();
  return (
    <Note>
      {t(isAdmin ? 'noGatewaysAdmin' : 'noGateways')}{' '}
      {isAdmin && (
        <Link
          to="/panel/payment"
          search={{ tab: 'gateways' }}
          className="touch text-accent underline underline-offset-2"
        >
          {t('addGateway')}
        </Link>
      )}
    </Note>
  );
}
