import type { UsageReport } from '@relay-hub/contract';
import { AccountCharts } from './account-charts.tsx';
import type { Shown } from './analytics-api.ts';
import { CostCard } from './cost-card.tsx';
import { FailureCards } from './failure-cards.tsx';
import { TopLists } from './top-lists.tsx';
import { TotalsCards } from './totals-cards.tsx';
import type { Quality } from './use-quality.ts';

export { SpeedChart } from './speed-chart.tsx';
export { SpeedTable } from './speed-table.tsx';

interface Props {
  page: Shown;
  quality: Quality;
  report: UsageReport;
  /** No calls in the period. */
  quiet: boolean;
  /** Registrations, redemptions and current totals of the hub. */
  showsAccounts: boolean;
}

/** The cards below the charts. */
export function BelowCharts({ page, quality, report, quiet, showsAccounts }: Props) {
  return (
    <>
      {!quiet && report.total.cost !== undefined && <CostCard page={page} report={report} />}
      <FailureCards page={page} quality={quality} />
      {!quiet && <TopLists page={page} />}
      {showsAccounts && (
        <>
          <TotalsCards />
          <AccountCharts search={page.search} />
        </>
      )}
    </>
  );
}
