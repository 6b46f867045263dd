import { useQuery } from '@tanstack/react-query';
import { languageTag } from '#i18n/i18n.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { dayLabels } from '#ui/format/time.ts';
import { accountQuery } from '#screens/panel/dashboard/dashboard-api.ts';

interface Props {
  days: readonly string[];
  axis: (value: number) => string;
}

/** An empty chart of seven days, with a hint on its future content. */
export function EmptyChart({ days, axis }: Props) {
  const { t } = useTranslation('dashboard');
  const { data: self } = useQuery(accountQuery);
  const never = self?.request_count === 0;
  const labels = dayLabels(days, languageTag());
  return (
    <div className="relative flex flex-col text-12 text-text2 tabular-nums">
      <div className="flex h-48 flex-col sm:h-56 justify-between">
        <Level label={axis(1)} className="border-dashed" />
        <Level label={axis(0)} />
      </div>
      <div className="mt-1 flex justify-around pl-9">
        {days.map((day, at) => (
          <span key={day}>{labels[at]}</span>
        ))}
      </div>
      <div className="absolute inset-x-0 top-18 sm:top-22 px-4 text-center text-13">
        <p className="font-title text-text">{t(never ? 'noCalls' : 'noCallsWeek')}</p>
        <p className="mt-0.5">{t(never ? 'noCallsText' : 'noCallsWeekText')}</p>
      </div>
    </div>
  );
}

function Level({ label, className }: { label: string; className?: string }) {
  return (
    <div className="flex items-center gap-2.5">
      <span className="w-6.5 flex-none text-right">{label}</span>
      <span className={cx('flex-1 border-t border-line', className)} />
    </div>
  );
}
