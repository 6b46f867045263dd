import { type Channel, channelStatus } from '@relay-hub/contract';
import { useQueryClient } from '@tanstack/react-query';
import { CircleCheck, Sun, Zap } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { type HealthBar, HealthStrip } from '#domain/channel/health-strip.tsx';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { Money } from '#ui/format/money.tsx';
import { RowActions } from '#ui/table/table-row.tsx';
import { Button } from '#ui/basic/button.tsx';
import { useIsTesting } from '#screens/panel/channel/checks/channel-test-state.ts';
import { switchChannels, testWithToast, unfreeze } from '#screens/panel/channel/checks/lazy-channel-actions.ts';
import { ChannelName } from './channel-name.tsx';
import { ChannelState, inTrouble, LastError } from './channel-status.tsx';
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

/** On phones: actions for an unhealthy channel, as text buttons. */
function ChannelCardActions({ channel }: { channel: Channel }) {
  const { t } = useTranslation('channel');
  const client = useQueryClient();
  const busy = useIsTesting(channel.id);
  return (
    <>
      {channel.status !== channelStatus.enabled && (
        <Button icon={CircleCheck} saves onClick={() => void switchChannels(client, [channel], channelStatus.enabled)}>
          {t('enable.action')}
        </Button>
      )}
      {channel.status === channelStatus.enabled && channel.frozen_until > 0 && (
        <Button icon={Sun} saves onClick={() => void unfreeze(client, channel)}>
          {t('unfreeze.action')}
        </Button>
      )}
      <Button icon={Zap} saves busy={busy} onClick={() => void testWithToast(client, channel)}>
        {t('test.action')}
      </Button>
    </>
  );
}
