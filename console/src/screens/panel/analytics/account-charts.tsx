import type { AccountsReport } from '@relay-hub/contract';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { Ticket, UserPlus } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Swatch } from '#ui/chart/legend.tsx';
import { ChartCard } from '#ui/chart/chart-card.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import type { IconShape } from '#ui/basic/icon.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { accountsQuery } from './analytics-api.ts';
import type { AnalyticsSearch } from './analytics-defaults.ts';
import { pointsOf } from './drawn-groups.ts';
import { useMoneyScale } from './use-scale.ts';

const height = 178;
const colors = ['var(--color-series-1)', 'var(--color-series-2)'] as const;

/** Redeemed codes and new accounts over the same period. */
export function AccountCharts({ search }: { search: AnalyticsSearch }) {
  const query = useQuery(accountsQuery(search));
  return (
    <div className="grid grid-cols-1 gap-4 max-sm:gap-2 lg:grid-cols-2">
      <Redemptions query={query} />
      <Registrations query={query} />
    </div>
  );
}

interface Props {
  query: UseQueryResult<AccountsReport>;
}

function Redemptions({ query }: Props) {
  const { t } = useTranslation('analytics');
  const scale = useMoneyScale();
  const { data } = query;
  const points = usePoints(data);
  const nothing = data?.redeemed.count === 0 && <Nothing icon={Ticket} title={t('noRedemptions')} />;
  return (
    <ChartCard
      title={t('redemptions')}
      value={data && scale.format(scale.value(data.redeemed.quota))}
      points={points}
      series={[
        {
          id: 'amount',
          label: t('amount'),
          color: colors[0],
          values: (data?.redemptions.quota ?? []).map(scale.value),
        },
      ]}
      line={{ label: t('redeemersShort'), values: data?.redemptions.users ?? [], format: formatWhole }}
      format={scale.format}
      axis={scale.axis}
      unit={scale.unit}
      height={height}
      legend={false}
      className="min-w-0"
      instead={insteadOf(query, nothing)}
      foot={
        data && (
          <p className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-12 text-text2 tabular-nums">
            <Key color={colors[0]}>{t('amountLeft')}</Key>
            <Key color={colors[1]}>{t('redeemers')}</Key>
            <span className="ml-auto text-text3">
              {t('codes', { count: data.redeemed.count, total: formatWhole(data.redeemed.count) })}
              {' · '}
              {t('people', { count: data.redeemed.users, total: formatWhole(data.redeemed.users) })}
            </span>
          </p>
        )
      }
    />
  );
}

function Registrations({ query }: Props) {
  const { t } = useTranslation('analytics');
  const { data } = query;
  const points = usePoints(data);
  const invited = data?.invited ?? [];
  const direct = data?.registrations.map((count, at) => count - (invited[at] ?? 0)) ?? [];
  const total = data?.registrations.reduce((sum, count) => sum + count, 0);
  const nothing = total === 0 && <Nothing icon={UserPlus} title={t('noRegistrations')} />;
  return (
    <ChartCard
      title={t('registrations')}
      value={total !== undefined && formatWhole(total)}
      points={points}
      series={[
        { id: 'direct', label: t('direct'), color: colors[0], values: direct },
        { id: 'invited', label: t('invited'), color: colors[1], values: invited },
      ]}
      format={formatWhole}
      axis={formatWhole}
      whole
      height={height}
      legend={false}
      className="min-w-0"
      instead={insteadOf(query, nothing)}
      foot={
        <p className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-12 text-text2">
          <Key color={colors[0]}>{t('direct')}</Key>
          <Key color={colors[1]}>{t('invited')}</Key>
        </p>
      }
    />
  );
}

function usePoints(data: AccountsReport | undefined) {
  const { i18n } = useTranslation('analytics');
  return data ? pointsOf(data, i18n.language.replace('_', '-')) : [];
}

const Key = ({ color, children }: { color: string; children: ReactNode }) => (
  <span className="inline-flex items-center gap-2">
    <Swatch color={color} />
    {children}
  </span>
);

const Nothing = ({ icon, title }: { icon: IconShape; title: string }) => <EmptyState icon={icon} title={title} />;

/** Replaces the chart while there is nothing to draw; undefined otherwise. */
function insteadOf({ data, error, isFetching, refetch }: Props['query'], nothing: ReactNode): ReactNode {
  if (nothing) return nothing;
  if (data) return undefined;
  if (error) return <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />;
  return <div aria-hidden className="h-44 rounded-control bg-sunk" />;
}
