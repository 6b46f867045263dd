import { channelStatus, type Channel } from '@relay-hub/contract';
import { useQueryClient } from '@tanstack/react-query';
import { CircleCheck, CircleMinus, Trash2, Zap } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { BulkAction } from '#shared/bulk-bar.tsx';
import { switchChannels } from './channel-change.ts';

interface Props {
  channels: readonly Channel[];
  onTest: () => void;
  onDelete: () => void;
  /** The selection has been dealt with. */
  onDone: () => void;
}

/** What can be done to the selected channels. */
export function ChannelBulk({ channels, onTest, onDelete, onDone }: Props) {
  const { t } = useTranslation('channel');
  const client = useQueryClient();
  const turn = (status: 1 | 2) => {
    void switchChannels(client, channels, status);
    onDone();
  };
  return (
    <>
      <BulkAction icon={CircleCheck} onClick={() => turn(channelStatus.enabled)}>
        {t('enable.action')}
      </BulkAction>
      <BulkAction icon={CircleMinus} onClick={() => turn(channelStatus.disabled)}>
        {t('disable.action')}
      </BulkAction>
      <BulkAction icon={Zap} onClick={onTest}>
        {t('test.action')}
      </BulkAction>
      <BulkAction icon={Trash2} danger onClick={onDelete}>
        {t('delete.count', { count: channels.length })}
      </BulkAction>
    </>
  );
}
