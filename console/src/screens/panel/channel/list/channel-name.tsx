import type { Channel } from '@relay-hub/contract';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import { ChannelTile } from '#domain/channel/channel-tile.tsx';
import { UsageWarningMark } from './usage-warning.tsx';
import { WithoutResponsesMark } from './without-responses.tsx';

export function ChannelName({ channel, typeTitle }: { channel: Channel; typeTitle: string }) {
  const { id, name, tag, type } = channel;
  const facts = [`#${id}`, typeTitle, tag].filter((fact) => fact !== '').join(' · ');
  return (
    <span className="flex min-w-0 items-center gap-2.5">
      <ChannelTile type={type} name={name} />
      <span className="grid min-w-0 leading-[18px]">
        <span className="flex min-w-0 items-center gap-1.5">
          <MiddleCut text={name} />
          <UsageWarningMark channel={channel} />
          <WithoutResponsesMark channel={channel} />
        </span>
        <span className="truncate text-12 text-text2">{facts}</span>
      </span>
    </span>
  );
}
