import type { Channel } from '@relay-hub/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { EditDrawer } from '#shared/edit-drawer.tsx';
import { ErrorState } from '#shared/error-state.tsx';
import { everyChannel } from '#api/every-channel.ts';
import { Skeleton } from '#shared/skeleton.tsx';
import { channelRecord, channelTypes, listedChannel } from './channel-api.ts';
import { copyOf, newValues, valuesOf } from './channel-values.ts';
import { ChannelForm } from './channel-form.tsx';

interface Props {
  /** `new`, the id of the channel that is edited, or empty. */
  edit: string;
  /** The channel that a new one starts from; 0 for none. */
  copy: number;
  /** A new channel was made and is now the one that is edited. */
  onMade: (id: number) => void;
  onClose: () => void;
}

/** The form of a channel, once what it needs to know is there. */
export function ChannelDrawer({ edit, copy, onMade, onClose }: Props) {
  const { t } = useTranslation('channel');
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
  // The form stays what it is when the channel that it was about to add is there.
  const [made, setMade] = useState({ id: 0, key: '' });
  const key = id > 0 && id === made.id ? made.key : `${edit} ${copy}`;

  const title = t(id > 0 ? 'form.edit' : copy > 0 ? 'form.copy' : 'form.new');
  const error = types.error ?? record.error;
  if (!types.data || (source > 0 && !record.data)) {
    return (
      <EditDrawer title={title} changes={0} onSave={() => undefined} onClose={onClose}>
        {error ? (
          <ErrorState text={error.message} onRetry={() => void Promise.all([types.refetch(), record.refetch()])} />
        ) : (
          <Loading />
        )}
      </EditDrawer>
    );
  }
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
      onClose={onClose}
    />
  );

  function startOf(copied: Channel | undefined) {
    const names = client.getQueryData(everyChannel.queryKey)?.data.map(({ name }) => name) ?? [];
    return copied ? copyOf(copied, names) : newValues(types.data ?? [], names);
  }
}

function Loading() {
  return (
    <div aria-busy className="grid gap-6 py-6">
      {['40%', '100%', '100%', '40%', '100%'].map((width, index) => (
        <Skeleton key={index} width={width} />
      ))}
    </div>
  );
}
