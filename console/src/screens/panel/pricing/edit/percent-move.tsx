import { cx } from '#ui/basic/cx.ts';
import { formatFixed, minus } from '#ui/format/number.ts';

/** Relative change of a number: increase amber, decrease green. Empty if it was zero. */
export function PercentMove({ before, after, className }: { before: number; after: number; className?: string }) {
  if (before === after || before === 0) return null;
  const percent = (after / before - 1) * 100;
  const tone = percent > 0 ? 'text-warn' : 'text-ok';
  const sign = percent > 0 ? '+' : minus;
  return <span className={cx('tabular-nums', tone, className)}>{`${sign}${formatFixed(Math.abs(percent), 1)}%`}</span>;
}
