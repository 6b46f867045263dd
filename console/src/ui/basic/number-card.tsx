import { useId, type ReactNode } from 'react';
import { Card } from './card.tsx';
import { cx } from './cx.ts';
import { Skeleton } from '#ui/feedback/skeleton.tsx';

interface Props {
  name: string;
  /** Right after the name; phones only. */
  phoneNote?: ReactNode;
  /** At the right of the name; hidden on phones. */
  aside?: ReactNode;
  /** The number; undefined shows a skeleton. */
  children: ReactNode;
  /** At the right of the number; hidden where there is no room. */
  beside?: ReactNode;
  /** The line below. */
  note?: ReactNode;
  /** At the right edge; phones only. */
  phoneAction?: ReactNode;
  className?: string | undefined;
}

/** A key figure with its breakdown; keeps its height while loading. */
export function NumberCard({ name, phoneNote, aside, beside, note, phoneAction, className, children }: Props) {
  const id = useId();
  return (
    <Card aria-labelledby={id} className={cx('relative min-w-0 px-4 py-3 max-sm:px-3.5', className)}>
      <div className="flex h-5.5 items-center gap-2">
        <h2 id={id} className={cx('truncate text-13 font-normal text-text2', Boolean(aside) && 'sm:flex-none')}>
          {name}
        </h2>
        {phoneNote && <div className="text-12 text-text3 tabular-nums sm:hidden">{phoneNote}</div>}
        <div className="ml-auto flex min-w-0 items-center max-sm:hidden">{aside}</div>
      </div>
      <div className="mt-1 flex h-8.5 flex-wrap items-center justify-between gap-x-3 overflow-hidden">
        <div className="text-26 font-medium tracking-[-0.01em] whitespace-nowrap tabular-nums max-sm:text-20/8.5">
          {children ?? <Skeleton width={112} className="h-4!" />}
        </div>
        <div className="flex h-8.5 items-center">{beside}</div>
      </div>
      <div className="mt-0.5 h-4 truncate text-12 text-text3 tabular-nums">{note ?? <Skeleton width="55%" />}</div>
      {phoneAction && <div className="absolute top-1/2 right-4 -translate-y-1/2 sm:hidden">{phoneAction}</div>}
    </Card>
  );
}
