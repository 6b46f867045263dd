import type { ReactNode } from 'react';
import { cx } from '#ui/basic/cx.ts';

interface Props {
  /** Milliseconds of the replay at which it appears. */
  at: number;
  as?: 'div' | 'li' | 'span' | undefined;
  className?: string | undefined;
  onShown?: (() => void) | undefined;
  children: ReactNode;
}

/** A part of the replay: always in the page and in its place, visible from its time on. */
export function Shown({ at, as: Tag = 'div', className, onShown, children }: Props) {
  return (
    <Tag className={cx('replay', className)} style={{ animationDelay: `${at}ms` }} onAnimationEnd={onShown}>
      {children}
    </Tag>
  );
}
