import { cx } from '#ui/basic/cx.ts';

/** A grey bar in place of text that is loading. */
export function Skeleton({ width = '60%', className }: { width?: string | number; className?: string }) {
  return (
    <span
      aria-hidden
      style={{ width }}
      className={cx('inline-block h-2.5 rounded-full bg-fill align-middle', className)}
    />
  );
}
