import type { Channel } from '@relay-hub/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Confirm } from '#shared/confirm.tsx';
import { testMany } from './channel-test.ts';

/** Asks before many channels are tested: each test is a real request to a provider. */
export function ChannelTestConfirm({ channels, onClose }: { channels: readonly Channel[]; onClose: () => void }) {
  const { t } = useTranslation(['channel', 'shared']);
  const client = useQueryClient();
  const count = channels.length;
  return (
    <Confirm
      title={t('test.title', { count })}
      text={t('test.text')}
      action={t('test.confirm', { count })}
      safe={t('shared:cancel')}
      danger={false}
      onConfirm={() => void testMany(client, channels)}
      onClose={onClose}
    />
  );
}
