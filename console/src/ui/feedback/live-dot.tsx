import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';

interface Props {
  on?: boolean;
  /** Why it is off, if it was not paused. */
  off?: string | undefined;
  note?: string | undefined;
}

/** Whether the data updates live. */
export function LiveDot({ on = true, off, note }: Props) {
  const { t } = useTranslation('shared');
  return (
    <span className="inline-flex items-center gap-2 pl-1 text-13 whitespace-nowrap text-text2">
      <span
        aria-hidden
        className={cx(
          'size-2 rounded-full forced-color-adjust-none',
          on ? 'bg-ok-g shadow-[0_0_0_4px_var(--color-ok-soft)]' : 'bg-control',
        )}
      />
      {on ? t('live') : (off ?? t('paused'))}
      {note !== undefined && <span className="text-text3 tabular-nums">{note}</span>}
    </span>
  );
}
