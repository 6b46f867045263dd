import type { Channel, ChannelScope } from '@relay-hub/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { allChannelsQuery } from '#api/all-channels.ts';
import { Confirm } from '#ui/overlay/confirm.tsx';
import { deleteChannels } from '#screens/panel/channel/bulk/channel-actions.ts';
import { orphanedModels, shortList } from '#screens/panel/channel/form/channel-models.ts';

/** Number of channels from which the count must be typed to confirm. */
const many = 50;
const named = 5;

interface Props {
  channels: readonly Channel[];
  /** The filter they all match; undefined for single channels. */
  scope?: ChannelScope | undefined;
  onDeleted: () => void;
  onClose: () => void;
}

/** Confirms a deletion and names the models that no channel would serve any more. */
export function ChannelDelete({ channels, scope, onDeleted, onClose }: Props) {
  const { t } = useTranslation('channelBulk');
  const client = useQueryClient();
  const every = useQuery(allChannelsQuery).data;
  const alone = every ? orphanedModels(channels, every.data) : [];
  const values = { count: channels.length, name: channels[0]?.name };
  const one = channels.length === 1;
  const list = shortList(alone, named);
  return (
    <Confirm
      title={t(one ? 'delete.title' : 'delete.titleMany', values)}
      text={`${alone.length > 0 ? `${t('delete.alone', { count: alone.length, list })} ` : ''}${t('delete.text')}`}
      action={t(one ? 'delete.confirm' : 'delete.confirmMany', values)}
      typeCount={channels.length >= many ? channels.length : undefined}
      onConfirm={async () => {
        if (await deleteChannels(client, channels, scope)) onDeleted();
      }}
      onClose={onClose}
    />
  );
}
