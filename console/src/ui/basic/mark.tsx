import type { IconProps } from './icon.tsx';
import { cx } from './cx.ts';
import { markNames } from './mark-names.ts';

interface Props {
  /** Name of the service or tool; its initial is shown without a mark. */
  name: string;
  /** Name of a mark, as in `/icons/<mark>.svg`. */
  mark?: string | undefined;
  size?: 32 | 24 | 20 | undefined;
}

const sizes = {
  32: 'size-8 rounded-control text-14',
  24: 'size-6 rounded-tile text-12',
  20: 'size-5 rounded-[calc(var(--radius-tile)-1px)] text-11',
};

/** The neutral tile of a mark, image or initial. */
export const tileLook = (size: 32 | 24 | 20): string =>
  cx('inline-grid flex-none place-items-center overflow-hidden bg-fill text-text2', sizes[size]);

/** Mark of a service or tool in one colour, or its initial. Decorative; show the name next to it. */
export function Mark({ name, mark = '', size = 24 }: Props) {
  const known = markNames.has(mark);
  return (
    <span
      aria-hidden
      // By CSS, not as text: readers, copy and search must find only the name next to it.
      data-initial={known ? undefined : initial(name)}
      className={cx(tileLook(size), !known && 'leading-none font-medium uppercase before:content-[attr(data-initial)]')}
    >
      {known && <Shape mark={mark} className="size-[64%]" />}
    </span>
  );
}

/** A mark in the place of an icon, in text colour. */
export function markIcon(mark: string) {
  return function MarkIcon({ size = 16, className }: IconProps) {
    return <Shape mark={mark} className={className} side={size} />;
  };
}

/** The picture as a mask, so that it has the colour of the text around it. */
function Shape({ mark, className, side }: { mark: string; className?: string | undefined; side?: number | string }) {
  return (
    <span
      aria-hidden
      className={cx(
        'inline-block flex-none bg-current [mask-position:center] [mask-repeat:no-repeat] [mask-size:contain] forced-colors:bg-[CanvasText]',
        className,
      )}
      style={{ maskImage: `url(/icons/${mark}.svg)`, width: side, height: side }}
    />
  );
}

/** The first letter or digit: `[Claude] x` → `C`, `通义` → `通`. */
function initial(name: string): string {
  return /[\p{L}\p{N}]/u.exec(name)?.[0] ?? '?';
}
