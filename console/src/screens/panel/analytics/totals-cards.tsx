import { channelStatus, redemptionStatus, type Statistics } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { cx } from '#ui/basic/cx.ts';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Money } from '#ui/format/money.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Status, type StatusKind } from '#ui/feedback/status.tsx';
import { statisticsQuery } from './analytics-api.ts';

/** Current number of channels, users and codes. */
export function TotalsCards() {
  const { data, error, isFetching, refetch } = useQuery(statisticsQuery);
  if (error && !data)
    return (
      <Card>
        <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
      </Card>
    );
  return (
    <div className="grid min-w-0 grid-cols-1 gap-4 max-sm:gap-2 sm:grid-cols-2">
      <Channels totals={data} />
      <Accounts totals={data} />
    </div>
  );
}

function channelCounts(totals: Statistics) {
  const { channel_statistics: statistics, frozen_channels: frozen, failing_channels: failing } = totals;
  const of = (status: number) => statistics.find((each) => each.status === status)?.total_channels ?? 0;
  const enabled = of(channelStatus.enabled);
  const all = statistics.reduce((sum, each) => sum + each.total_channels, 0);
  const testDisabled = of(channelStatus.testDisabled);
  return [
    { kind: 'enabled', count: Math.max(0, enabled - frozen - failing), color: 'bg-ok-g' },
    { kind: 'failing', count: failing, color: 'bg-bad-g' },
    { kind: 'frozen', count: frozen, color: 'bg-ice-g' },
    { kind: 'testDisabled', count: testDisabled, color: 'bg-bad-g' },
    { kind: 'disabled', count: all - enabled - testDisabled, color: 'bg-series-other' },
  ] satisfies { kind: StatusKind; count: number; color: string }[];
}

function Channels({ totals }: { totals: Statistics | undefined }) {
  const { t } = useTranslation('analytics');
  const counts = totals && channelCounts(totals);
  const all = counts?.reduce((sum, { count }) => sum + count, 0);
  return (
    <Card aria-labelledby="analytics-channels">
      <CardHead
        id="analytics-channels"
        title={t('channels')}
        aside={all !== undefined && <span className="font-title tabular-nums">{formatWhole(all)}</span>}
      >
        <Link to="/panel/channel" className="touch text-13 text-accent hover:underline">
          {t('channelsOpen')}
        </Link>
      </CardHead>
      <div className="px-4 pt-1 pb-4">
        <div aria-hidden className="flex h-2 gap-px overflow-hidden rounded-full bg-fill">
          {counts?.map(
            ({ kind, count, color }) => count > 0 && <span key={kind} className={color} style={{ flexGrow: count }} />,
          )}
        </div>
        {all === 0 ? (
          <p className="mt-3 text-13 text-text2">{t('channelsNone')}</p>
        ) : (
          <ul className="mt-2.5 flex flex-wrap justify-between gap-x-2 gap-y-2">
            {(counts?.filter(isShown) ?? bones).map(({ kind, count }) => (
              <li key={kind}>
                <p className="h-6 text-18 font-medium tabular-nums">
                  {count === undefined ? <Skeleton width={24} /> : formatWhole(count)}
                </p>
                {/* No alarming colour at zero. */}
                <span className={cx('[&_span]:text-12!', count === 0 && 'grayscale')}>
                  <Status kind={kind} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Card>
  );
}

/** There is no room for all five, and these two are mostly zero. */
const isShown = ({ kind, count }: { kind: StatusKind; count: number }) =>
  count > 0 || (kind !== 'frozen' && kind !== 'testDisabled');

const bones = (['enabled', 'failing', 'disabled'] as const).map((kind) => ({
  kind,
  count: undefined,
}));

function Accounts({ totals }: { totals: Statistics | undefined }) {
  const { t } = useTranslation('analytics');
  const users = totals?.user_statistics;
  const codes = (status: number) =>
    totals && (totals.redemption_statistic.find((each) => each.status === status) ?? { count: 0, quota: 0 });
  return (
    <Card aria-labelledby="analytics-accounts">
      <CardHead id="analytics-accounts" title={t('accounts')}>
        <span className="text-13 text-text2">{t('sinceEver')}</span>
      </CardHead>
      <dl className="px-4 pb-3 text-13">
        <Fact name={t('userCount')}>{users && <Users {...users} />}</Fact>
        <Fact name={t('balances')}>{users && <Money credits={users.total_quota} />}</Fact>
        <Fact name={t('used')}>{users && <Money credits={users.total_used_quota} />}</Fact>
        <Fact name={t('unredeemed')}>{totals && <Codes of={codes(redemptionStatus.enabled)} />}</Fact>
        <Fact name={t('redeemedCodes')}>{totals && <Codes of={codes(redemptionStatus.used)} />}</Fact>
      </dl>
    </Card>
  );
}

function Users({ total_user: all, total_inviter_user: invited }: Statistics['user_statistics']) {
  const { t } = useTranslation('analytics');
  return (
    <>
      <span className="text-text2">
        {t('directAnd', { direct: formatWhole(all - invited), invited: formatWhole(invited) })}
      </span>{' '}
      {formatWhole(all)}
    </>
  );
}

function Codes({ of }: { of: { count: number; quota: number } | undefined }) {
  const { t } = useTranslation('analytics');
  if (!of) return null;
  return (
    <>
      <span className="text-text2">{t('countAnd', { total: formatWhole(of.count) })}</span> <Money credits={of.quota} />
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex min-h-7 items-center justify-between gap-3">
      <dt className="text-text2">{name}</dt>
      <dd className="tabular-nums">{children ?? <Skeleton width={64} />}</dd>
    </div>
  );
}
