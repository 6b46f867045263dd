import { channelFailures, type ChannelHealth } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { useStore } from '#api/store.ts';
import { cx } from '#ui/basic/cx.ts';
import { formatRate, formatWhole } from '#ui/format/number.ts';
import { useShareText } from '#ui/format/use-share-text.ts';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { levelOf, levelOfHour, manyFailures, successLimits, type SuccessLevel } from './success-limits.ts';

/** Attempts in one interval; a strip has the oldest first. */
export type HealthBar = ChannelHealth['hours'][number] & {
  /** Label of the interval, e.g. "17:00". */
  time: string;
};

const looks: Record<SuccessLevel, string> = {
  none: 'h-1/6 bg-line2',
  few: 'h-[72%] bg-text3',
  fine: 'h-1/2 bg-ok-g',
  some: 'h-[72%] bg-warn-g',
  failing: 'h-full bg-bad-g',
};
const tones = { none: 'text-text2', few: 'text-text2', fine: 'text-text2', some: 'text-warn', failing: 'text-bad' };
const shapes = {
  row: { strip: 'h-[18px] gap-0.5 forced-color-adjust-none', bar: 'w-[3px] rounded-[1px]' },
  wide: { strip: 'h-9 flex-1 gap-1 forced-color-adjust-none', bar: 'min-w-0 flex-1 rounded-[2px]' },
};

type Tries = Pick<HealthBar, 'requests' | 'failures'>;

/** The level of success, by the limits of the site. */
export function useSuccessLevel(): (tries: Tries) => SuccessLevel {
  const limits = useStore(successLimits);
  return (tries) => levelOf(tries, limits);
}

/** Height of a bar with failures: half as without any, and up to all for the hour with most failures. */
const heightOf = ({ failures }: Tries, most: number): string =>
  `${50 + (50 * failures) / Math.max(most, manyFailures)}%`;

export const sumOf = (bars: readonly Tries[]): Tries => ({
  requests: sum(bars, (bar) => bar.requests),
  failures: sum(bars, (bar) => bar.failures),
});

const sum = <T,>(list: readonly T[], of: (each: T) => number) => list.reduce((all, each) => all + of(each), 0);

interface RateProps {
  of: Tries;
  text?: (rate: string) => string;
  /** A good rate is as dark as other numbers. */
  strong?: boolean;
}

/** The success rate in percent, coloured by its level; of few tries, their number without a colour. */
export function SuccessRate({ of, text, strong = false }: RateProps) {
  const toneOf = useSuccessLevel();
  const shareText = useShareText();
  const { requests, failures } = of;
  const rate = requests === 0 ? '–' : shareText(requests - failures, requests, formatRate);
  const tone = tones[toneOf(of)];
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
  const limits = useStore(successLimits);
  const shape = wide ? shapes.wide : shapes.row;
  const most = Math.max(...bars.map(({ failures }) => failures));
  const name = t('healthDay', { text: textOf(bars) });
  return (
    <span className={cx('items-center gap-2 align-middle', wide ? 'flex' : 'inline-flex')}>
      <Tooltip text={wide ? '' : name} repeatsName>
        <span role="img" aria-label={name} className={cx('inline-flex items-end', shape.strip)}>
          {bars.map((bar, index) => {
            const level = levelOfHour(bar, limits);
            const height = wide && bar.failures > 0 ? heightOf(bar, most) : undefined;
            const drawn = <span key={index} className={cx(shape.bar, looks[level])} style={{ height }} />;
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
        <span aria-hidden className="min-w-12 text-right text-12 whitespace-nowrap">
          <SuccessRate of={sumOf(bars)} />
        </span>
      )}
    </span>
  );
}
