import { channelStatus, type Channel } from '@relay-hub/contract';
import { Status, type StatusKind } from '#shared/status.tsx';
import { formatDateTime } from '#shared/time.ts';
import { Tooltip } from '#shared/tooltip.tsx';

const kinds: Record<number, StatusKind> = {
  [channelStatus.enabled]: 'enabled',
  [channelStatus.disabled]: 'disabled',
  [channelStatus.testDisabled]: 'testDisabled',
};

export const statusKind = (status: number): StatusKind => kinds[status] ?? 'unknown';

/** Whether something is wrong that nobody chose: the server switched it off, or the upstream complained last. */
export const inTrouble = ({ status, last_error }: Channel): boolean =>
  status === channelStatus.testDisabled || (status === channelStatus.enabled && last_error !== '');

/** State of a channel; under it what its upstream last complained of. A good test clears the complaint. */
export function ChannelStatus({ channel }: { channel: Channel }) {
  return (
    <Status
      kind={statusKind(channel.status)}
      detail={channel.last_error === '' ? undefined : <LastError channel={channel} />}
    />
  );
}

/** The upstream's words, all of them in the tooltip with the time. */
export function LastError({ channel }: { channel: Channel }) {
  const { last_error: text, last_error_time: at } = channel;
  return (
    <Tooltip text={`${text} · ${formatDateTime(at)}`}>
      <span className={inTrouble(channel) ? 'text-bad' : undefined}>{text}</span>
    </Tooltip>
  );
}
