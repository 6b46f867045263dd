import type { UsageGroup, UsageReport } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { cx } from '#ui/basic/cx.ts';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import { Segmented } from '#ui/form/segmented.tsx';
import { Money } from '#ui/format/money.tsx';
import { formatPercent, formatWhole } from '#ui/format/number.ts';
import type { Shown } from './analytics-api.ts';
import { logTimeOf } from './analytics-search.ts';
import { logFiltersOf } from './log-link.ts';
import { useGroupLabel } from './use-labels.ts';

/** Purchase costs of the shown usage; only administrators receive it. */
export function CostCard({ page, report }: { page: Shown; report: UsageReport }) {
  const { t } = useTranslation('analytics');
  const [losing, setLosing] = useState(false);
  const { cost = 0, costed = 0, quota } = report.total;
  const [first, last] = [report.points[0]?.date ?? '', report.points.at(-1)?.date ?? ''];
  const time = logTimeOf(page.search, { first: first.slice(0, 10), last: last.slice(0, 10) });
  const isKnown = cost > 0 || costed > 0;
  return (
    <Card aria-labelledby="analytics-cost" className="min-w-0">
      <CardHead
        id="analytics-cost"
        title={t('costTitle')}
        aside={
          isKnown && (
            <Link
              to="/panel/log"
              search={{ ...logFiltersOf(page), losing: 1, time }}
              className="touch text-13 text-accent hover:underline"
            >
              {t('losingCalls')}
            </Link>
          )
        }
      />
      {isKnown ? (
        <>
          <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 px-4 pb-3">
            <div className="flex flex-wrap items-baseline gap-x-6 gap-y-1">
              <dl className="flex flex-wrap gap-x-6 gap-y-1 text-13 tabular-nums">
                <Sum name={t('costSold')} credits={costed} />
                <Sum name={t('costOf')} credits={cost} />
                <Sum name={t('margin')} credits={costed - cost} share={shareOf(costed, cost)} />
              </dl>
              <span className="text-12 text-text3">
                {costed >= quota
                  ? t('costCoversAll')
                  : t('costCovers', { share: formatPercent(quota === 0 ? 0 : costed / quota) })}
              </span>
            </div>
            <Segmented
              label={t('costTitle')}
              value={losing ? 'losses' : 'largest'}
              options={[
                { value: 'largest', label: t('costLargest') },
                { value: 'losses', label: t('costLosses') },
              ]}
              onChange={(value) => setLosing(value === 'losses')}
            />
          </div>
          {report.own && report.own.calls > 0 && (
            <p className="px-4 pb-3 text-12 text-text3">
              {t('ownCost', { calls: formatWhole(report.own.calls) })} <Money credits={report.own.cost} />
              {report.own.unknown > 0 && ` · ${t('ownUnknown', { calls: formatWhole(report.own.unknown) })}`}
            </p>
          )}
          <Groups page={page} groups={losing ? (report.losses ?? []) : report.groups} losing={losing} time={time} />
        </>
      ) : (
        <p className="max-w-180 px-4 pb-5 text-13 text-text2">{t('costUnknown')}</p>
      )}
    </Card>
  );
}

const shareOf = (costed: number, cost: number): string => (costed === 0 ? '–' : formatPercent(1 - cost / costed, 1));

function Sum({ name, credits, share }: { name: string; credits: number; share?: string }) {
  return (
    <div className="flex gap-2">
      <dt className="text-text2">{name}</dt>
      <dd className={cx('font-medium', credits < 0 && 'text-bad')}>
        <Money credits={credits} />
        {share !== undefined && <span className="ml-1.5 font-normal text-text2">{share}</span>}
      </dd>
    </div>
  );
}

const head = 'h-8 border-b border-line bg-sunk text-12 font-normal text-text2 whitespace-nowrap';
const cell = 'h-8.5 border-b border-line text-right tabular-nums whitespace-nowrap pl-4';
const most = 10;

interface GroupsProps {
  page: Shown;
  groups: readonly Omit<UsageGroup, 'series'>[];
  losing: boolean;
  /** The period, in the log's format. */
  time: string;
}

function Groups({ page, groups, losing, time }: GroupsProps) {
  const { t } = useTranslation('analytics');
  const labelOf = useGroupLabel(page.by);
  const shown = groups.filter(({ cost = 0, costed = 0 }) => cost > 0 || costed > 0).slice(0, most);
  if (shown.length === 0) return <p className="px-4 pb-5 text-13 text-text2">{t('costNoLoss')}</p>;
  // The log cannot find owners and user groups.
  const linked = page.by !== 'owner' && page.by !== 'user_group';
  return (
    <div role="group" aria-labelledby="analytics-cost" tabIndex={0} className="overflow-x-auto">
      <table className="w-full border-separate border-spacing-0 text-13">
        <thead>
          <tr>
            <th scope="col" className={`${head} pl-4 text-left`}>
              {t(`grouping.${page.by}`)}
            </th>
            {(['costSold', 'costOf', 'margin'] as const).map((name) => (
              <Head key={name}>{t(name)}</Head>
            ))}
            <Head wide>{t('marginShare')}</Head>
          </tr>
        </thead>
        <tbody>
          {shown.map((group) => {
            const { cost = 0, costed = 0 } = group;
            const name = labelOf(group);
            const look = costed < cost && 'text-bad';
            return (
              <tr key={group.id} className="[&:last-child>*]:border-0">
                <th scope="row" className={`${cell} w-full max-w-0 min-w-32 text-left! font-normal`}>
                  {linked ? (
                    <Link
                      to="/panel/log"
                      search={{ ...logFiltersOf({ ...page, group }), ...(losing && { losing: 1 }), time }}
                      className="block max-w-full truncate hover:text-accent hover:underline"
                      aria-label={t('openLog', { name })}
                    >
                      <MiddleCut text={name} />
                    </Link>
                  ) : (
                    <MiddleCut text={name} />
                  )}
                </th>
                <td className={cell}>
                  <Money credits={costed} />
                </td>
                <td className={cell}>
                  <Money credits={cost} />
                </td>
                <td className={cx(cell, 'max-sm:pr-4', look)}>
                  <Money credits={costed - cost} />
                </td>
                <td className={cx(cell, 'pr-4 max-sm:hidden', look || 'text-text2')}>{shareOf(costed, cost)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

const Head = ({ children, wide }: { children: ReactNode; wide?: boolean }) => (
  <th
    scope="col"
    className={cx(head, 'pl-4 text-right min-[1200px]:min-w-36', wide && 'pr-4 max-sm:hidden', 'max-sm:nth-4:pr-4')}
  >
    {children}
  </th>
);
