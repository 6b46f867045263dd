import type { Channel, ChannelScope } from '@relay-hub/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { Confirm } from '#ui/overlay/confirm.tsx';
import { testMany } from './channel-test.ts';

interface Props {
  channels: readonly Channel[];
  /** The filter they all match; undefined for single channels. */
  scope?: ChannelScope | undefined;
  onClose: () => void;
}

/** Confirms a test of many channels: each test is a paid request to a provider. */
export function ChannelTestConfirm({ channels, scope, onClose }: Props) {
  const client = useQueryClient();
  return (
    <ChannelTestAll count={channels.length} onYes={() => void testMany(client, channels, scope)} onClose={onClose} />
  );
}

/** The same for a number of channels. */
export function ChannelTestAll({ count, onYes, onClose }: { count: number; onYes: () => void; onClose: () => void }) {
  const { t } = useTranslation(['channel', 'channelBulk', 'shared']);
  return (
    <Confirm
      title={t('channelBulk:test.title', { count })}
      text={t('test.text')}
      action={t('test.confirm', { count })}
      safe={t('shared:cancel')}
      danger={false}
      onConfirm={onYes}
      onClose={onClose}
    />
  );
}
