import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { cx } from './cx.ts';

interface Props {
  text: string;
  /** Number of characters at the end that are always shown. */
  tail?: number | undefined;
  className?: string | undefined;
}

/** A name that is shortened in the middle, since its end distinguishes it; the tooltip has the full name. */
export function MiddleCut({ text, tail = 10, className }: Props) {
  const cut = Math.max(0, text.length - tail);
  const short = text.length <= tail * 2;
  return (
    <Tooltip text={text.length > 18 ? text : ''} repeatsName>
      <span className={cx('inline-flex max-w-full min-w-0', className)}>
        {short ? (
          <span className="truncate">{text}</span>
        ) : (
          <>
            <span className="sr-only">{text}</span>
            <span aria-hidden className="truncate">
              {text.slice(0, cut)}
            </span>
            <span aria-hidden className="flex-none whitespace-pre">
              {text.slice(cut)}
            </span>
          </>
        )}
      </span>
    </Tooltip>
  );
}
