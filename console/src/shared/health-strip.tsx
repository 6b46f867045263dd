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
  none: 'h-1/6 bg-line2',
  fine: 'h-1/2 bg-ok-g',
  some: 'h-[72%] bg-warn-g',
  failing: 'h-full bg-bad-g',
};
const shapes = {
  row: { strip: 'h-[18px] gap-0.5 forced-color-adjust-none', bar: 'w-[3px] rounded-[1px]' },
  wide: { strip: 'h-9 flex-1 gap-1 forced-color-adjust-none', bar: 'min-w-0 flex-1 rounded-[2px]' },
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

/** The success rate in percent, rounded down, so that 100 % means all; undefined when nothing was asked. */
export function shownRate(bars: readonly HealthBar[]): string | undefined {
  const share = successRate(bars);
  return share === undefined ? undefined : formatPercent(Math.floor(share * 1e4) / 1e4);
}

interface Props {
  bars: readonly HealthBar[];
  /** Shows the success rate beside it. */
  rate?: boolean;
  /** As wide and tall as a card wants it, each bar with words of its own. */
  wide?: boolean;
  barName?: (bar: HealthBar) => string;
}

/** How a channel did lately, by colour and height, with the success rate beside it. */
export function HealthStrip({ bars, rate = true, wide = false, barName }: Props) {
  const { t } = useTranslation('shared');
  const known = shownRate(bars);
  const shown = known ?? '–';
  const shape = wide ? shapes.wide : shapes.row;
  const requests = formatWhole(bars.reduce((sum, bar) => sum + bar.requests, 0));
  const name = known === undefined ? t('healthUnused') : t('health', { rate: shown, requests });
  return (
    <span className={cx('items-center gap-2 align-middle', wide ? 'flex' : 'inline-flex')}>
      <Tooltip text={barName ? '' : name} repeatsName>
        <span role="img" aria-label={name} className={cx('inline-flex items-end', shape.strip)}>
          {bars.map((bar, index) => {
            const drawn = <span key={index} className={cx(shape.bar, looks[lookOf(bar)])} />;
            if (!barName) return drawn;
            return (
              <Tooltip key={index} text={barName(bar)} repeatsName>
                {drawn}
              </Tooltip>
            );
          })}
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
