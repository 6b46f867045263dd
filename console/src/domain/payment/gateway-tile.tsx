import type { GatewayKind } from '@relay-hub/contract';
import { OwnerTile } from '#domain/model/owner-tile.tsx';
import { cx } from '#ui/basic/cx.ts';
import { markOf } from './gateway-marks.ts';

interface Props {
  name: string;
  type: GatewayKind;
  /** Name of a mark or address of an image, set by the operator. */
  icon: string;
  size?: 24 | 20 | undefined;
}

/** Mark, image or initial of a payment gateway. Decorative; show the name next to it. */
export function GatewayTile({ name, type, icon, size = 24 }: Props) {
  const mark = markOf(icon, type);
  if (!mark) return <OwnerTile name={name} icon={icon} size={size} />;
  return (
    <span
      aria-hidden
      className={cx(
        'inline-grid flex-none place-items-center bg-fill text-text2',
        size === 24 ? 'size-6 rounded-tile' : 'size-5 rounded-[5px]',
      )}
    >
      <svg viewBox="0 0 24 24" className="size-[62%]" fill="currentColor" fillRule="evenodd">
        <path d={mark} />
      </svg>
    </span>
  );
}
