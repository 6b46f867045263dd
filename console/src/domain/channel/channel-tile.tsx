import { useChannelTypes } from '#api/channel-types.ts';
import { Mark, tileLook } from '#ui/basic/mark.tsx';

interface Props {
  /** Type of the channel; undefined if it no longer exists. */
  type: number | undefined;
  /** Name of the channel; its initial is shown without a known type. */
  name: string;
  size?: 24 | 20 | undefined;
}

/** Mark of a channel's type, for administrators. Decorative; show the name next to it. */
export function ChannelTile({ type, name, size = 24 }: Props) {
  const types = useChannelTypes();
  // Empty while loading: a letter would be replaced a moment later.
  if (!types) return <span aria-hidden className={tileLook(size)} />;
  const found = type === undefined ? undefined : types.get(type);
  return <Mark name={found?.title ?? name} mark={found?.mark} size={size} />;
}
