import { channelFailures, type ChannelHealth } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { useStore } from '#api/store.ts';
import { cx } from '#ui/basic/cx.ts';
import { formatPercent, formatWhole } from '#ui/format/number.ts';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { successLimits } from './success-limits.ts';

/** Attempts in one interval; a strip has the oldest first. */
export type HealthBar = ChannelHealth['hours'][number] & {
  /** Label of the interval, e.g. "17:00". */
  time: string;
};

const looks = {
  none: 'h-1/6 bg-line2',
  fine: 'h-1/2 bg-ok-g',
  some: 'h-[72%] bg-warn-g',
  failing: 'h-full bg-bad-g',
};
const tones = { none: 'text-text2', fine: 'text-text2', some: 'text-warn', failing: 'text-bad' };
const shapes = {
  row: { strip: 'h-[18px] gap-0.5 forced-color-adjust-none', bar: 'w-[3px] rounded-[1px]' },
  wide: { strip: 'h-9 flex-1 gap-1 forced-color-adjust-none', bar: 'min-w-0 flex-1 rounded-[2px]' },
};

/** The level of a success rate, by the limits of the site. */
function useLookOf(): (share: number | undefined) => keyof typeof looks {
  const { fine, poor } = useStore(successLimits);
  return (share) => {
    if (share === undefined) return 'none';
    // Rounded as it is shown, so that a rate and its colour agree.
    const percent = Math.floor(share * 1e4 + 1e-6) / 100;
    return percent >= fine ? 'fine' : percent >= poor ? 'some' : 'failing';
  };
}

/** Share of successful attempts, 0 to 1; undefined without attempts. */
export function successRate(bars: readonly Pick<HealthBar, 'requests' | 'failures'>[]): number | undefined {
  const requests = sum(bars, (bar) => bar.requests);
  return requests === 0 ? undefined : 1 - sum(bars, (bar) => bar.failures) / requests;
}

const sum = <T,>(list: readonly T[], of: (each: T) => number) => list.reduce((all, each) => all + of(each), 0);

interface RateProps {
  share: number | undefined;
  text?: (rate: string) => string;
  /** A good rate is as dark as other numbers. */
  strong?: boolean;
}

/** The success rate in percent, coloured by its level. Rounded down, so that 100 % means all. */
export function SuccessRate({ share, text, strong = false }: RateProps) {
  const lookOf = useLookOf();
  const rate = share === undefined ? '–' : formatPercent(Math.floor(share * 1e4) / 1e4);
  const tone = tones[lookOf(share)];
  const shown = strong && tone === tones.fine ? undefined : tone;
  return <span className={cx('tabular-nums', shown)}>{text ? text(rate) : rate}</span>;
}

/** "12 attempts, 3 failed: 429 ×2, timeout ×1". */
function useAttemptsText(): (bars: readonly HealthBar[]) => string {
  const { t } = useTranslation('shared');
  return (bars) => {
    const count = sum(bars, (bar) => bar.requests);
    const failed = sum(bars, (bar) => bar.failures);
    if (count === 0) return t('attemptsNone');
    const attempts = t('attempts', { count, total: formatWhole(count) });
    if (failed === 0) return t('noneFailed', { attempts });
    const reasons = channelFailures
      .map((reason) => ({ reason, times: sum(bars, (bar) => bar.reasons?.[reason] ?? 0) }))
      .filter(({ times }) => times > 0)
      .toSorted((x, y) => y.times - x.times)
      .map(({ reason, times }) => t('reasonTimes', { reason: t(`${reason}_reason`), times: formatWhole(times) }))
      .join(t('reasonComma'));
    return t('attemptsFailed', { attempts, failed: formatWhole(failed), reasons });
  };
}

interface Props {
  bars: readonly HealthBar[];
  /** Fills a card: each bar has a text alternative, and the success rate is omitted. */
  wide?: boolean;
}

/** Results of recent attempts as bars, with the success rate next to them. */
export function HealthStrip({ bars, wide = false }: Props) {
  const { t } = useTranslation('shared');
  const textOf = useAttemptsText();
  const lookOf = useLookOf();
  const shape = wide ? shapes.wide : shapes.row;
  const name = t('healthDay', { text: textOf(bars) });
  return (
    <span className={cx('items-center gap-2 align-middle', wide ? 'flex' : 'inline-flex')}>
      <Tooltip text={wide ? '' : name} repeatsName>
        <span role="img" aria-label={name} className={cx('inline-flex items-end', shape.strip)}>
          {bars.map((bar, index) => {
            const drawn = <span key={index} className={cx(shape.bar, looks[lookOf(successRate([bar]))])} />;
            if (!wide) return drawn;
            return (
              <Tooltip key={index} text={t('healthHour', { time: bar.time, text: textOf([bar]) })} repeatsName>
                {drawn}
              </Tooltip>
            );
          })}
        </span>
      </Tooltip>
      {!wide && (
        <span aria-hidden className="min-w-12 text-right text-12">
          <SuccessRate share={successRate(bars)} />
        </span>
      )}
    </span>
  );
}
