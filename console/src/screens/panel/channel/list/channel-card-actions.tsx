import { channelStatus, type Channel } from '@relay-hub/contract';
import { useQueryClient } from '@tanstack/react-query';
import { CircleCheck, Sun, Zap } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { useIsTesting } from '#screens/panel/channel/checks/channel-test-state.ts';
import { switchChannels, testWithToast, unfreeze } from '#screens/panel/channel/checks/lazy-channel-actions.ts';

/** On phones: actions for an unhealthy channel, as text buttons. */
export function ChannelCardActions({ channel }: { channel: Channel }) {
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
