import type { Channel } from '@relay-hub/contract';
import { useQueryClient } from '@tanstack/react-query';
import { Zap } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { testWithToast } from './lazy-channel-actions.ts';
import { useIsTesting } from './channel-test-state.ts';

/** Tests a row's channel with its test model. */
export function ChannelTestButton({ channel }: { channel: Channel }) {
  const { t } = useTranslation('channel');
  const client = useQueryClient();
  const busy = useIsTesting(channel.id);
  return (
    <IconButton
      label={t('test.of', { name: channel.name })}
      icon={Zap}
      saves
      size="sm"
      busy={busy}
      onClick={() => void testWithToast(client, channel)}
    />
  );
}
