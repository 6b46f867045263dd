import type { Channel, ChannelJob, ChannelScope } from '@relay-hub/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ChannelQuery } from '#screens/panel/channel/channel-api.ts';
import { BulkEditDialog } from '#screens/panel/channel/bulk/bulk-edit-dialog.tsx';
import type { BulkEditField, Change } from '#screens/panel/channel/bulk/bulk-edit-fields.ts';
import { ChannelJobResult } from '#screens/panel/channel/checks/channel-job-result.tsx';
import { ChannelTestAll, ChannelTestConfirm } from '#screens/panel/channel/checks/channel-test-confirm.tsx';
import { ChannelTestDialog } from '#screens/panel/channel/checks/channel-test-dialog.tsx';
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
function ChannelDelete({ channels, scope, onDeleted, onClose }: Props) {
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

export type ChannelDialog =
  | { about: 'delete'; channels: readonly Channel[]; scope?: ChannelScope; onDone?: () => void }
  | { about: 'test'; channels: readonly Channel[]; scope?: ChannelScope }
  | { about: 'testAll'; count: number; onYes: () => void }
  | { about: 'job'; job: ChannelJob }
  | { about: 'models'; channels: readonly Channel[] }
  | {
      about: 'change';
      /** The selected channels, or all that a filter finds. */
      channels?: readonly Channel[];
      query?: ChannelQuery;
      start?: readonly BulkEditField[];
      how?: NonNullable<Change['models']>['how'];
      onDone?: () => void;
    };

export function ChannelDialogs({ question, onClose }: { question: ChannelDialog; onClose: () => void }) {
  switch (question.about) {
    case 'delete':
      return <ChannelDelete {...question} onDeleted={() => question.onDone?.()} onClose={onClose} />;
    case 'test':
      return <ChannelTestConfirm {...question} onClose={onClose} />;
    case 'testAll':
      return <ChannelTestAll {...question} onClose={onClose} />;
    case 'job':
      return <ChannelJobResult {...question} onClose={onClose} />;
    case 'models': {
      const [first] = question.channels;
      return first && <ChannelTestDialog channel={first} onClose={onClose} />;
    }
    case 'change':
      return <BulkEditDialog {...question} onClose={onClose} />;
  }
}
