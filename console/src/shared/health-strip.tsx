import { useTranslation } from 'react-i18next';
import { cx } from './cx.ts';
import { formatPercent, formatWhole } from './number.ts';
import { Tooltip } from './tooltip.tsx';

/** Requests of one stretch of time, oldest first in a strip. */
export interface HealthBar {
  requests: number;
  failures: number;
  /** What the stretch is called, e.g. "17:00". */
  time: string;
}

const looks = {
  none: 'h-[3px] bg-line2',
  fine: 'h-[9px] bg-ok-g',
  some: 'h-[13px] bg-warn-g',
  failing: 'h-[18px] bg-bad-g',
};

function lookOf({ requests, failures }: HealthBar): keyof typeof looks {
  if (requests === 0) return 'none';
  if (failures / requests < 0.01) return 'fine';
  return failures / requests < 0.2 ? 'some' : 'failing';
}

/** The share that succeeded, 0 to 1; undefined when nothing was asked. */
export function successRate(bars: readonly HealthBar[]): number | undefined {
  const requests = bars.reduce((sum, bar) => sum + bar.requests, 0);
  const failures = bars.reduce((sum, bar) => sum + bar.failures, 0);
  return requests === 0 ? undefined : 1 - failures / requests;
}

/** How a channel did lately, by colour and height, with the success rate beside it. */
export function HealthStrip({ bars, rate = true }: { bars: readonly HealthBar[]; rate?: boolean }) {
  const { t } = useTranslation('shared');
  const share = successRate(bars);
  const shown = share === undefined ? '–' : formatPercent(Math.floor(share * 1e4) / 1e4);
  const requests = formatWhole(bars.reduce((sum, bar) => sum + bar.requests, 0));
  const name = share === undefined ? t('healthUnused') : t('health', { rate: shown, requests });
  return (
    <span className="inline-flex items-center gap-2 align-middle">
      <Tooltip text={name} repeatsName>
        <span role="img" aria-label={name} className="inline-flex h-[18px] items-end gap-0.5">
          {bars.map((bar, index) => (
            <span key={index} className={cx('w-[3px] rounded-[1px]', looks[lookOf(bar)])} />
          ))}
        </span>
      </Tooltip>
      {rate && (
        <span aria-hidden className="min-w-12 text-right text-12 text-text2 tabular-nums">
          {shown}
        </span>
      )}
    </span>
  );
}
