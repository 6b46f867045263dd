import type { ComponentPropsWithRef, ReactNode } from 'react';
import { cx } from './cx.ts';

/** A surface with a hairline; give it a heading through `CardHead`. */
export function Card({ className, ...rest }: ComponentPropsWithRef<'section'>) {
  return <section {...rest} className={cx('rounded-card border border-line bg-card', className)} />;
}

/** The 48 px head of a card: title, quiet facts beside it, actions at the right. */
export function CardHead({
  title,
  id,
  aside,
  children,
}: {
  title: ReactNode;
  id?: string | undefined;
  aside?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className="flex min-h-12 flex-wrap items-center gap-2 px-4 py-1.5">
      <h2 id={id} className="text-14">
        {title}
      </h2>
      {aside}
      {children && <div className="ml-auto flex items-center gap-2">{children}</div>}
    </div>
  );
}
