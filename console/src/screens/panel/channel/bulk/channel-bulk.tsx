import { channelStatus, type Channel, type ChannelScope } from '@relay-hub/contract';
import { useQueryClient } from '@tanstack/react-query';
import { CircleCheck, CircleMinus, Pencil, Tag, Trash2, Users, Zap } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { BulkAction } from '#ui/table/bulk-bar.tsx';
import type { ChannelQuery } from '#screens/panel/channel/channel-api.ts';
import { switchChannels } from '#screens/panel/channel/checks/lazy-channel-actions.ts';
import type { ChannelDialog } from '#screens/panel/channel/list/channel-dialogs.tsx';

interface Props {
  channels: readonly Channel[];
  scope: ChannelScope;
  /** The filter they all match; undefined for rows selected one by one. */
  query: ChannelQuery | undefined;
  onAsk: (question: ChannelDialog) => void;
  /** Called once the selection is processed. */
  onDone: () => void;
}

export function ChannelBulk({ channels, scope, query, onAsk, onDone }: Props) {
  const { t } = useTranslation('channel');
  const client = useQueryClient();
  const turn = (status: 1 | 2) => {
    void switchChannels(client, channels, status, scope);
    onDone();
  };
  const change = (start: ('tag' | 'group')[]) =>
    onAsk({ about: 'change', ...(query ? { query } : { channels }), start, onDone });
  return (
    <>
      <BulkAction icon={CircleCheck} onClick={() => turn(channelStatus.enabled)}>
        {t('enable.action')}
      </BulkAction>
      <BulkAction icon={CircleMinus} onClick={() => turn(channelStatus.disabled)}>
        {t('disable.action')}
      </BulkAction>
      <BulkAction icon={Zap} onClick={() => onAsk({ about: 'test', channels, scope })}>
        {t('test.action')}
      </BulkAction>
      <BulkAction icon={Tag} onClick={() => change(['tag'])}>
        {t('change.tag')}
      </BulkAction>
      <BulkAction icon={Users} onClick={() => change(['group'])}>
        {t('change.groups')}
      </BulkAction>
      <BulkAction icon={Pencil} onClick={() => change([])}>
        {t('change.edit')}
      </BulkAction>
      <BulkAction icon={Trash2} danger onClick={() => onAsk({ about: 'delete', channels, scope, onDone })}>
        {t('delete.count', { count: channels.length })}
      </BulkAction>
    </>
  );
}
