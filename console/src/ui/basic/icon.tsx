import type { ComponentType } from 'react';
import { cx } from './cx.ts';

export interface IconProps {
  size?: number | string;
  className?: string | undefined;
  'aria-hidden'?: boolean | undefined;
}

/** An icon of the icon library, or a mark. */
export type IconShape = ComponentType<IconProps>;

/** A decorative icon; its meaning must also be in the text or in the accessible name of its control. */
export function Icon({
  of: Shape,
  size = 16,
  className,
}: {
  of: IconShape;
  size?: 18 | 16 | 14 | 12;
  className?: string;
}) {
  return <Shape aria-hidden size={size} className={cx(size <= 14 && 'stroke-[1.9]', className)} />;
}
