import type { ComponentPropsWithRef, ReactNode } from 'react';
import { cx } from './cx.ts';

/** A bordered surface; its heading is a `CardHead`. */
export function Card({ className, ...rest }: ComponentPropsWithRef<'section'>) {
  return <section {...rest} className={cx('rounded-card border border-line bg-card', className)} />;
}

interface HeadProps {
  title: ReactNode;
  id?: string | undefined;
  aside?: ReactNode;
  /** Puts the actions on a separate line on phones. */
  twoLines?: boolean | undefined;
  children?: ReactNode;
}

/** The 48 px header of a card: title, quiet facts next to it, actions at the right. */
export function CardHead({ title, id, aside, twoLines = false, children }: HeadProps) {
  return (
    <div className={cx('flex min-h-12 flex-wrap items-center gap-2 px-4 py-1.5', twoLines && 'max-sm:pt-3')}>
      <h2 id={id} className="text-14">
        {title}
      </h2>
      {aside}
      {children && (
        <div className={cx('ml-auto flex items-center gap-2', twoLines && 'max-sm:w-full max-sm:justify-between')}>
          {children}
        </div>
      )}
    </div>
  );
}
