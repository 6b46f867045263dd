import type { Channel } from '@relay-hub/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { channelTypes } from '#api/channel-types.ts';
import { listedChannel, listedNames } from '#screens/panel/channel/channel-cache.ts';
import { channelRecord } from '#screens/panel/channel/channel-more-api.ts';
import { copyOf, newValues, valuesOf } from './channel-values.ts';
import { ChannelForm } from './channel-form.tsx';
import { LoadingDrawer } from './loading-drawer.tsx';

interface Props {
  /** `new`, the id of the edited channel, or empty. */
  edit: string;
  /** The channel that a new one is copied from; 0 for none. */
  copy: number;
  /** Called with the id of a created channel, which is then edited. */
  onMade: (id: number) => void;
  /** Switches to editing all channels of its tag. */
  onTag: (tag: string) => void;
  onClose: () => void;
}

export function ChannelDrawer({ edit, copy, onMade, onTag, onClose }: Props) {
  const { t } = useTranslation('channelForm');
  const client = useQueryClient();
  const id = Number(edit) || 0;
  const source = id || copy;
  const types = useQuery(channelTypes);
  const record = useQuery({
    ...channelRecord(source),
    initialData: () => listedChannel(client, source),
    initialDataUpdatedAt: 0,
    enabled: source > 0,
  });
  // The same form stays mounted when its new channel has been created.
  const [made, setMade] = useState({ id: 0, key: '' });
  const key = id > 0 && id === made.id ? made.key : `${edit} ${copy}`;

  const title = t(id > 0 ? 'form.edit' : copy > 0 ? 'form.copy' : 'form.new');
  if (!types.data || (source > 0 && !record.data))
    return <LoadingDrawer title={title} queries={[types, record]} onClose={onClose} />;
  return (
    <ChannelForm
      key={key}
      title={title}
      types={types.data}
      channel={id > 0 ? record.data : undefined}
      copied={id > 0 ? undefined : record.data}
      start={id > 0 && record.data ? valuesOf(record.data) : startOf(record.data)}
      onMade={(channel) => {
        setMade({ id: channel.id, key });
        onMade(channel.id);
      }}
      onTag={onTag}
      onClose={onClose}
    />
  );

  function startOf(copied: Channel | undefined) {
    const names = listedNames(client);
    return copied ? copyOf(copied, names) : newValues(types.data ?? [], names);
  }
}
