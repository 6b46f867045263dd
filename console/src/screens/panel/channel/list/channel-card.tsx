import type { Channel } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { HealthStrip, type HealthBar } from '#domain/channel/health-strip.tsx';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { Money } from '#ui/format/money.tsx';
import { RowActions } from '#ui/table/table-row.tsx';
import { ChannelName } from './channel-name.tsx';
import { ChannelState, inTrouble, LastError } from './channel-status.tsx';
import { ChannelCardActions } from './channel-card-actions.tsx';
import { Latency } from './use-channel-columns.tsx';

interface Props {
  channel: Channel;
  typeTitle: string;
  bars: HealthBar[];
  menu: (channel: Channel) => MenuEntries;
}

const nameOf = ({ name }: Channel) => name;

export function ChannelCard({ channel, typeTitle, bars, menu }: Props) {
  const { t } = useTranslation('channel');
  const { last_error, used_quota, priority, weight } = channel;
  return (
    <div className="grid grid-cols-1 gap-2 text-13">
      <div className="-mt-1 -mr-1.5 flex items-center gap-2">
        <div className="min-w-0 flex-1 text-14">
          <ChannelName channel={channel} typeTitle={typeTitle} />
        </div>
        <RowActions row={channel} nameOf={nameOf} menu={menu} />
      </div>
      <div className="flex flex-wrap items-center justify-between gap-x-2 gap-y-1">
        <ChannelState channel={channel} />
        <HealthStrip bars={bars} />
      </div>
      {last_error !== '' && (
        <p className="line-clamp-2 break-words text-text2">
          <LastError channel={channel} />
        </p>
      )}
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2 text-text2 tabular-nums">
        <span>
          <Latency channel={channel} /> · {t('usedAmount')} <Money credits={used_quota} />
        </span>
        {inTrouble(channel) ? (
          <span className="ml-auto flex gap-2">
            <ChannelCardActions channel={channel} />
          </span>
        ) : (
          <span>{t('routing', { priority, weight })}</span>
        )}
      </div>
    </div>
  );
}
