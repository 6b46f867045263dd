import type { Channel, ChannelJob, ChannelScope } from '@relay-hub/contract';
import type { ChannelQuery } from '#screens/panel/channel/channel-api.ts';
import { BulkEditDialog } from '#screens/panel/channel/bulk/bulk-edit-dialog.tsx';
import type { BulkEditField, Change } from '#screens/panel/channel/bulk/bulk-edit-fields.ts';
import { ChannelDelete } from './channel-delete.tsx';
import { ChannelJobResult } from '#screens/panel/channel/checks/channel-job-result.tsx';
import { ChannelTestAll, ChannelTestConfirm } from '#screens/panel/channel/checks/channel-test-confirm.tsx';
import { ChannelTestDialog } from '#screens/panel/channel/checks/channel-test-dialog.tsx';

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
