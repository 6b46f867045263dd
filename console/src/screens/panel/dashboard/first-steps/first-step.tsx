import { CircleCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';

/** Keeps the height of a line while the text is loading. */
export const oneLine = '\u00a0';

interface Props {
  number: number;
  /** Undefined until known. */
  done: boolean | undefined;
  /** Whether this step is the next one. */
  next: boolean;
  title: string;
  text: ReactNode;
  /** Button or link of the step, or its result. */
  action: ReactNode;
}

/** One of the first steps: number or check mark, text, action. */
export function Step({ number, done, next, title, text, action }: Props) {
  return (
    <li
      aria-current={next ? 'step' : undefined}
      className="-mt-px -ml-px flex min-w-0 flex-col border-t border-l border-line p-4 max-sm:flex-row max-sm:flex-wrap max-sm:items-center max-sm:gap-x-3 max-sm:py-3"
    >
      <div className="flex min-w-0 items-center gap-2 max-sm:flex-1">
        {done ? <Icon of={CircleCheck} size={18} className="text-ok" /> : <Digit number={number} next={next} />}
        <h3 className={cx('text-14', done && 'text-ok')}>{title}</h3>
      </div>
      <p
        className={cx(
          'mt-1.5 mb-3 min-h-9 pl-6.5 text-13 break-words text-text2 max-sm:order-last max-sm:my-0 max-sm:min-h-0 max-sm:w-full',
          done && 'max-sm:hidden',
        )}
      >
        {text}
      </p>
      <div className="mt-auto flex min-h-7 items-center pl-6.5 max-sm:mt-0 max-sm:min-h-9 max-sm:pl-0">
        {done !== undefined && action}
      </div>
    </li>
  );
}

function Digit({ number, next }: { number: number; next: boolean }) {
  return (
    <span
      aria-hidden
      className={cx(
        'grid size-4.5 flex-none place-items-center rounded-full border-[1.5px] text-11 leading-none font-medium',
        next ? 'border-accent text-accent' : 'border-control text-text2',
      )}
    >
      {number}
    </span>
  );
}
