import type { ReactNode } from 'react';
import { cx } from '#ui/basic/cx.ts';
import { Icon, type IconShape } from '#ui/basic/icon.tsx';

interface Props {
  icon: IconShape;
  /** Class of the icon's colour. */
  tone: string;
  children: ReactNode;
}

/** One event in an `<ol>`, with a line to the next one. */
export function TimelineItem({ icon, tone, children }: Props) {
  return (
    <li className="group relative flex gap-3 pb-2.5 text-13">
      <span aria-hidden className="absolute top-5 bottom-0 left-[7.5px] border-l border-line2 group-last:hidden" />
      <span className={cx('z-1 mt-0.5 h-4 bg-float', tone)}>
        <Icon of={icon} />
      </span>
      <div className="min-w-0 flex-1">{children}</div>
    </li>
  );
}
