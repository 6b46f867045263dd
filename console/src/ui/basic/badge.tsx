import type { ReactNode } from 'react';
import { cx } from './cx.ts';

const tones = { neutral: 'bg-fill text-text2', bad: 'bg-bad-soft text-bad', accent: 'bg-accent-soft text-accent' };

/** A count next to a name. */
export function Badge({
  tone = 'neutral',
  className,
  children,
}: {
  tone?: keyof typeof tones;
  className?: string;
  children: ReactNode;
}) {
  return (
    <span
      className={cx('inline-block flex-none rounded-full px-1.5 text-12/[18px] tabular-nums', tones[tone], className)}
    >
      {children}
    </span>
  );
}
