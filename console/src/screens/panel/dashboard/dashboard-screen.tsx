import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Cable, KeyRound } from 'lucide-react';
import { lazy, type ReactNode, type Ref, Suspense, useEffect, useRef } from 'react';
import { dashboardApi, userApi } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSession } from '#api/session.ts';
import { NoBalance } from '#domain/quota/no-balance.tsx';
import { Button } from '#ui/basic/button.tsx';
import { Card } from '#ui/basic/card.tsx';
import { cx } from '#ui/basic/cx.ts';
import { PageHeader } from '#ui/basic/page-header.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Segmented } from '#ui/form/segmented.tsx';
import { useAfterFirstPaint } from '#ui/basic/use-after-first-paint.ts';
import { useIsPhone, useMedia } from '#ui/basic/use-media.ts';
import { ConnectCard } from './connect-card.tsx';
import { channelsQuery, recentQuery, usageQuery } from './dashboard-api.ts';
import { FirstSteps } from '#screens/panel/dashboard/first-steps/first-steps.tsx';
import { HealthCard } from './health-card.tsx';
import { useLaunch } from './launch/use-launch.ts';
import { ModelsCard } from './models-card.tsx';
import { Numbers } from '#screens/panel/dashboard/usage/today-numbers.tsx';
import { RecentCalls } from './recent-calls.tsx';
import { chooseScope, scopes, useScope, useView, views } from './scope.ts';
import { UsageChart } from '#screens/panel/dashboard/usage/usage-chart.tsx';
import { useFirstSteps } from '#screens/panel/dashboard/first-steps/use-first-steps.ts';
import { refresh } from '#api/api-query.ts';

/** Minimum interval between refreshes: a busy account must not refetch on every call. */
const restMs = 15_000;

/** Refreshes balance and usage when a new call appears. */
function useRefreshOnCalls(): void {
  const client = useQueryClient();
  const scope = useScope();
  const { data, isSuccess: ready } = useQuery(recentQuery(scope));
  const newest = data?.data[0]?.id ?? 0;
  const seen = useRef<number>(undefined);
  const seenIn = useRef(scope);
  useEffect(() => {
    if (!ready) return;
    if (seenIn.current !== scope) seen.current = undefined;
    seenIn.current = scope;
    const readAt = client.getQueryState(usageQuery(scope).queryKey)?.dataUpdatedAt ?? 0;
    const isNew = seen.current !== undefined && newest !== seen.current;
    if (isNew && seen.current !== 0 && Date.now() - readAt < restMs) return;
    seen.current = newest;
    if (isNew) void refresh(client, userApi.self, scope === 'hub' ? dashboardApi.hub : dashboardApi.own);
  }, [client, newest, ready, scope]);
}

const loadWide = () => import('./wide-cards.tsx');
const SpendersCard = lazy(async () => ({ default: (await loadWide()).SpendersCard }));
const SlowestCard = lazy(async () => ({ default: (await loadWide()).SlowestCard }));
const LiveScreen = lazy(async () => ({ default: (await import('./live/live-screen.tsx')).LiveScreen }));

/** The account's figures, or the site's for administrators; first steps for a new account. */
export function DashboardScreen() {
  const { t } = useTranslation('dashboard');
  const steps = useFirstSteps();
  const launch = useLaunch();
  const phone = useIsPhone();
  const { isAdmin } = useSession();
  const scope = useScope();
  const view = useView();
  const navigate = useNavigate();
  const open = steps.phase === 'open';
  const cards = useRef<HTMLDivElement>(null);
  // The focused button disappears with its list.
  const focusCards = () => cards.current?.focus({ preventScroll: true });
  const hide = () => {
    focusCards();
    steps.hide();
  };
  const create = (
    <Button
      variant={open ? 'default' : 'primary'}
      icon={KeyRound}
      saves
      render={<Link to="/panel/token" search={{ edit: 'new' }} />}
    >
      {t('createToken')}
    </Button>
  );
  return (
    <>
      <PageHeader title={isAdmin ? t('titleOf', { scope: t(`scope.${scope}`) }) : t('title')}>
        {isAdmin && (
          <Segmented
            label={t('scope.title')}
            value={scope}
            options={scopes.map((value) => ({ value, label: t(`scope.${value}`) }))}
            onChange={chooseScope}
          />
        )}
        {isAdmin && scope === 'hub' && (
          <Segmented
            label={t('view.title')}
            value={view}
            options={views.map((value) => ({ value, label: t(`view.${value}`) }))}
            onChange={(next) => void navigate({ to: '/panel/dashboard', search: { view: next } })}
          />
        )}
        {!phone && view === 'overview' && (
          <Button icon={Cable} render={<Link to="/panel/token" search={{ connect: 'any' }} />}>
            {t('connectTool')}
          </Button>
        )}
        {view === 'overview' && (!phone || (scope === 'hub' && !open)) && create}
      </PageHeader>
      {view === 'live' ? (
        <Suspense fallback={<LiveSkeleton />}>
          <LiveScreen />
        </Suspense>
      ) : (
        <>
          {/* The first steps say it themselves. */}
          {!(open && steps.needsCredit) && <NoBalance />}
          {open && <FirstSteps steps={steps} onHide={hide} />}
          {steps.phase === 'closed' && launch.open?.Card && (
            <launch.open.Card list={launch.open.list} onHide={focusCards} />
          )}
          {steps.phase !== 'unknown' && launch.isKnown && (
            <Cards ref={cards} starting={open} phoneAction={phone && !open && create} />
          )}
        </>
      )}
    </>
  );
}

/** Cards as large as those of the live screen. */
function LiveSkeleton() {
  return (
    <div aria-hidden className="grid grid-cols-1 gap-4 pt-12.5 max-sm:gap-2">
      <div className="grid grid-cols-4 gap-4 max-lg:grid-cols-2 max-sm:gap-2">
        {Array.from({ length: 4 }, (_, at) => (
          <Card key={at} className="h-30.5">
            <Skeleton width={96} className="m-4" />
          </Card>
        ))}
      </div>
      <Card className="h-108">
        <Skeleton width={160} className="m-4" />
      </Card>
    </div>
  );
}

interface CardsProps {
  ref: Ref<HTMLDivElement>;
  /** Whether the first steps are open. */
  starting: boolean;
  phoneAction: ReactNode;
}

function Cards({ ref, starting, phoneAction }: CardsProps) {
  useRefreshOnCalls();
  const all = useAfterFirstPaint();
  const hasRoom = useMedia('(width >= 1800px)');
  const wide = useScope() === 'hub' && hasRoom;
  return (
    <div ref={ref} tabIndex={-1} className="grid grid-cols-1 gap-4 outline-none max-sm:gap-2">
      <Numbers phoneAction={phoneAction} />
      <div
        className={cx(
          'grid grid-cols-1 gap-4 max-sm:gap-2',
          wide ? 'grid-cols-[minmax(0,1fr)_340px_300px]' : 'lg:grid-cols-[minmax(0,1fr)_356px]',
        )}
      >
        {all ? (
          <>
            <UsageChart />
            <Beside starting={starting} />
            {wide && (
              <Suspense fallback={<Card aria-hidden />}>
                <SpendersCard />
              </Suspense>
            )}
            <RecentCalls />
            <ModelsCard />
            {wide && (
              <Suspense fallback={<Card aria-hidden />}>
                <SlowestCard />
              </Suspense>
            )}
          </>
        ) : (
          heights(wide ? 3 : 2).map((height, at) => <Card key={at} aria-hidden className={height} />)
        )}
      </div>
    </div>
  );
}

/** Heights of the cards in the grid. */
const heights = (columns: number) =>
  ['h-87', 'h-68'].flatMap((height) => Array.from({ length: columns }, () => height));

/** Channel health for administrators with channels, the connection card for all others. */
function Beside({ starting }: { starting: boolean }) {
  const { isAdmin } = useSession();
  const { data: channels } = useQuery({ ...channelsQuery, enabled: isAdmin });
  return !isAdmin || starting || channels?.length === 0 ? <ConnectCard /> : <HealthCard />;
}
