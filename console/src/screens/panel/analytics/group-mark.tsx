import { useQuery } from '@tanstack/react-query';
import type { UsageGroup } from '@relay-hub/contract';
import { allChannelsQuery } from '#api/all-channels.ts';
import { ChannelTile } from '#domain/channel/channel-tile.tsx';
import { markOf } from '#domain/model/mark-of.ts';
import { Mark } from '#ui/basic/mark.tsx';

interface Props {
  by: 'model' | 'owner' | 'channel';
  group: Pick<UsageGroup, 'id'>;
  /** The shown name. */
  name: string;
}

/** Mark of a model, owner or channel in figures. Decorative; show the name next to it. */
export function GroupMark({ by, group, name }: Props) {
  if (by === 'channel') return <MarkOfChannel id={Number(group.id)} name={name} />;
  return <Mark name={name} mark={markOf(name)} size={20} />;
}

function MarkOfChannel({ id, name }: { id: number; name: string }) {
  const { data } = useQuery(allChannelsQuery);
  return <ChannelTile type={data?.data.find((each) => each.id === id)?.type} name={name} size={20} />;
}
