import type { QualityReport, SpeedQuantiles } from '@relay-hub/contract';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { fewCalls, formatQuantile } from '#ui/format/number.ts';
import { useShareText } from '#ui/format/use-share-text.ts';
import { formatDateTime } from '#ui/format/time.ts';
import type { Shown } from './analytics-api.ts';
import { MarkedName } from './marked-name.tsx';
import { useGroupLabel } from './use-labels.ts';
import type { Quality } from './use-quality.ts';

/** As many rows as the chart's height has room for, so that it does not move when they arrive. */
const most = 7;
/** Share of failed calls from which a group is marked: as in the health of channels. */
const badShare = 0.05;

/** First token, total time and failures of the groups with the most requests. */
export function SpeedTable({ page, quality }: { page: Shown; quality: Quality }) {
  const { t } = useTranslation('analytics');
  const { data, error, isFetching, refetch } = quality;
  return (
    <Card aria-labelledby="analytics-speed" className="min-w-0">
      <CardHead
        id="analytics-speed"
        title={t(`speedBy.${page.by}`)}
        aside={<span className="text-13 text-text2">{t('speedUnit')}</span>}
      />
      {error && !data ? (
        <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
      ) : data ? (
        <Groups page={page} report={data} />
      ) : (
        <div className="grid gap-5 px-4 py-3">
          {['72%', '54%', '63%', '48%', '58%'].map((width) => (
            <Skeleton key={width} width={width} />
          ))}
        </div>
      )}
    </Card>
  );
}

const head = 'h-8 border-b border-line bg-sunk text-12 font-normal text-text2 whitespace-nowrap';
const cell = 'h-8.5 border-b border-line text-right tabular-nums whitespace-nowrap';

function Groups({ page, report }: { page: Shown; report: QualityReport }) {
  const { t } = useTranslation('analytics');
  const labelOf = useGroupLabel(page.by);
  const shareText = useShareText();
  const { groups, since, points } = report;
  if (groups.length === 0) return <p className="px-4 pt-2 pb-5 text-13 text-text2">{t('topNothing')}</p>;
  const isCut = since !== null && since > (points[0]?.start ?? 0);
  return (
    <>
      <div role="group" aria-labelledby="analytics-speed" tabIndex={0} className="overflow-x-auto">
        <table className="w-full border-separate border-spacing-0 text-13">
          <thead>
            <tr>
              <th scope="col" className={`${head} pl-4 text-left`}>
                {t(`grouping.${page.by}`)}
              </th>
              <Head>{t('firstP50')}</Head>
              <Head>{t('firstP95')}</Head>
              <Head>{t('totalP95')}</Head>
              <Head last>{t('failed')}</Head>
            </tr>
          </thead>
          <tbody>
            {groups.slice(0, most).map((group) => {
              const isBad = group.requests >= fewCalls && group.failures / group.requests >= badShare;
              return (
                <tr key={group.id} className="[&:last-child>*]:border-0">
                  <th scope="row" className={`${cell} w-full max-w-0 pl-4 text-left! font-normal`}>
                    <MarkedName by={page.by} group={group} name={labelOf(group)} />
                  </th>
                  <td className={`${cell} pl-3`}>{seconds(group.first_token, 'p50')}</td>
                  <td className={`${cell} pl-3`}>{seconds(group.first_token, 'p95')}</td>
                  <td className={`${cell} pl-3 text-text2`}>{seconds(group.duration, 'p95')}</td>
                  <td className={`${cell} pr-4 pl-3 ${isBad ? 'text-bad' : 'text-text2'}`}>
                    {group.requests === 0 ? '–' : shareText(group.failures, group.requests)}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {isCut && (
        <p className="border-t border-line px-4 py-2 text-12 text-text3">
          {t('speedSince', { date: formatDateTime(since).slice(0, 16) })}
        </p>
      )}
    </>
  );
}

/** The unit is in the head of the table. */
function seconds(speed: SpeedQuantiles, share: 'p50' | 'p95'): string {
  const ms = speed[share];
  return ms === null || speed.calls < fewCalls ? '–' : formatQuantile(ms).replace(' s', '');
}

function Head({ children, last = false }: { children: ReactNode; last?: boolean }) {
  return (
    <th scope="col" className={`${head} pl-3 text-right ${last ? 'pr-4' : ''}`}>
      {children}
    </th>
  );
}
