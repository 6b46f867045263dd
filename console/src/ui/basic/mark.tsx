import type { IconProps } from './icon.tsx';
import { cx } from './cx.ts';
import { markNames } from './mark-names.ts';
import marks from './marks.svg';

interface Props {
  /** Name of the service or tool; its initial is shown without a mark. */
  name: string;
  /** Name of a mark, see `mark-names.ts`. */
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

/** The picture in the colour of the text around it. All pictures are in one file, loaded with the first of them. */
function Shape({ mark, className, side }: { mark: string; className?: string | undefined; side?: number | string }) {
  return (
    <svg aria-hidden width={side} height={side} className={cx('flex-none fill-current', className)}>
      <use href={`${marks}#${mark}`} />
    </svg>
  );
}

/** The first letter or digit: `[Claude] x` → `C`, `通义` → `通`. */
function initial(name: string): string {
  return /[\p{L}\p{N}]/u.exec(name)?.[0] ?? '?';
}
