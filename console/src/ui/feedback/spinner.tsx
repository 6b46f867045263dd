import { cx } from '#ui/basic/cx.ts';

/** Loading spinner, hidden from screen readers: a label next to it names the action. */
export function Spinner({ size = 16, className }: { size?: number; className?: string }) {
  return (
    <svg
      aria-hidden
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      strokeWidth="2.6"
      className={cx('flex-none animate-spin', className)}
    >
      <circle cx="12" cy="12" r="9" stroke="currentColor" opacity=".3" />
      <path d="M12 3a9 9 0 0 1 9 9" stroke="currentColor" strokeLinecap="round" />
    </svg>
  );
}
