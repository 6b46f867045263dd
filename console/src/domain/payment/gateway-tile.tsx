import type { GatewayKind } from '@relay-hub/contract';
import { OwnerTile } from '#domain/model/owner-tile.tsx';
import { iconOf } from './gateway-marks.ts';

interface Props {
  name: string;
  type: GatewayKind;
  /** Name of a mark or address of an image, set by the operator. */
  icon: string;
  size?: 24 | 20 | undefined;
}

/** Mark, image or initial of a payment gateway. Decorative; show the name next to it. */
export const GatewayTile = ({ name, type, icon, size }: Props) => (
  <OwnerTile name={name} icon={iconOf(icon, type)} size={size} />
);
