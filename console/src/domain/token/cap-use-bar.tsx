import type { CapUse, LimitUse } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { ProgressBar } from '#ui/feedback/progress-bar.tsx';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { Time } from '#ui/format/time.tsx';
import { useNow } from '#ui/format/use-now.ts';
import { amountText, capText, NEAR, shareOf } from './limit-words.ts';

interface Props {
  use: Omit<CapUse, 'of_group' | 'period'> & Pick<LimitUse, 'period'>;
  /** How many more caps there are. */
  more?: number | undefined;
  /** Two lines for a row of a table: the bar next to the rest, without the reset. */
  brief?: boolean;
}

/** A cap as "$4.34 of $5 a day", with a bar, the rest and the time of the reset. */
export function CapUseBar({ use, more = 0, brief = false }: Props) {
  const { t } = useTranslation('token');
  const money = useSiteFormat();
  const share = shareOf(use);
  const tone = share >= 1 ? 'bad' : share >= NEAR ? 'warn' : 'neutral';
  const used = amountText(use.measure, use.used, money);
  const cap = capText(use, t, money);
  const left = use.left > 0 ? t('leftOf', { amount: amountText(use.measure, use.left, money) }) : t('usedUp');
  const rest = more > 0 && <span className="flex-none rounded-full bg-fill px-1.5 text-12/4 text-text2">+{more}</span>;
  return (
    <span className="block min-w-0 tabular-nums">
      <span className="flex min-w-0 items-baseline gap-1.5 leading-4.5">
        <span className="min-w-0 truncate">
          <span className="font-title">{used}</span> <span className="text-text2">{t('ofCap', { cap })}</span>
        </span>
        {!brief && rest}
      </span>
      <span className={cx(brief && 'flex items-center gap-2')}>
        <ProgressBar
          value={share}
          label={t('useOf', { cap })}
          text={`${used} ${t('ofCap', { cap })}`}
          tone={tone}
          className={brief ? 'w-16 flex-none' : 'my-1'}
        />
        <span className="flex min-w-0 items-baseline justify-between gap-2 text-12/4">
          <span className={cx('truncate', tone === 'bad' ? 'text-bad' : tone === 'warn' ? 'text-warn' : 'text-text2')}>
            {left}
          </span>
          {!brief && use.used > 0 && <ResetTime at={use.resets_time} />}
        </span>
        {brief && rest}
      </span>
    </span>
  );
}

/** When a cap resets; nothing once that time has passed, until the list is read again. */
function ResetTime({ at }: { at: number }) {
  const { t } = useTranslation('token');
  if (useNow(1) >= at) return null;
  return (
    <span className="truncate text-text3">
      {t('resets')} <Time at={at} as="relative" />
    </span>
  );
}
