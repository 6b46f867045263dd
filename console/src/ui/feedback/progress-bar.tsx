import { cx } from '#ui/basic/cx.ts';

const tones = { accent: 'bg-accent-fill', neutral: 'bg-control', warn: 'bg-warn-g', bad: 'bg-bad-g' };

interface Props {
  value: number;
  max?: number;
  /** Accessible name. */
  label: string;
  /** The value as text ("31 of 50") for screen readers, which otherwise read a percentage. */
  text?: string | undefined;
  tone?: keyof typeof tones;
  className?: string | undefined;
}

/** A 4 px bar that shows the done or used share. */
export function ProgressBar({ value, max = 1, label, text, tone = 'accent', className }: Props) {
  const share = max > 0 ? Math.min(1, Math.max(0, value / max)) : 0;
  return (
    <span
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(share * 100)}
      aria-valuetext={text}
      className={cx('block h-1 overflow-hidden rounded-full bg-fill forced-colors:outline', className)}
    >
      <span
        className={cx('block h-1 rounded-full forced-color-adjust-none transition-[width] duration-200', tones[tone])}
        style={{ width: `${share * 100}%` }}
      />
    </span>
  );
}
