import { channelStatus, type Channel } from '@relay-hub/contract';
import { useQueryClient } from '@tanstack/react-query';
import { CircleCheck, Sun, Zap } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button, IconButton } from '#shared/button.tsx';
import { switchChannels, testAndTell, unfreeze } from './channel-work.ts';
import { useIsTesting } from './channel-test-state.ts';

/** Tests a row's channel with its own model. */
export function ChannelTestButton({ channel }: { channel: Channel }) {
  const { t } = useTranslation('channel');
  const client = useQueryClient();
  const busy = useIsTesting(channel.id);
  return (
    <IconButton
      label={t('test.of', { name: channel.name })}
      icon={Zap}
      size="sm"
      busy={busy}
      onClick={() => void testAndTell(client, channel)}
    />
  );
}

/** On a phone: what helps a channel in trouble, in words. */
export function TroubleButtons({ channel }: { channel: Channel }) {
  const { t } = useTranslation('channel');
  const client = useQueryClient();
  const busy = useIsTesting(channel.id);
  return (
    <>
      {channel.status !== channelStatus.enabled && (
        <Button icon={CircleCheck} onClick={() => void switchChannels(client, [channel], channelStatus.enabled)}>
          {t('enable.action')}
        </Button>
      )}
      {channel.status === channelStatus.enabled && channel.frozen_until > 0 && (
        <Button icon={Sun} onClick={() => void unfreeze(client, channel)}>
          {t('unfreeze.action')}
        </Button>
      )}
      <Button icon={Zap} busy={busy} onClick={() => void testAndTell(client, channel)}>
        {t('test.action')}
      </Button>
    </>
  );
}
