import { channelStatus, channelTagApi, type Channel, type ChannelChanged, type ChannelTag } from '@relay-hub/contract';
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { CircleCheck, CircleMinus, List, Pencil, Trash2, Zap } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { toast } from '#ui/feedback/toast.ts';
import { toastChanged } from '#screens/panel/channel/bulk/channel-actions.ts';
import type { ChannelViewProps } from '#screens/panel/channel/list/channel-header.tsx';
import { channelTexts } from '#screens/panel/channel/channel-texts.ts';

type Options = Pick<ChannelViewProps, 'onSearch' | 'onAsk'>;

export function useTagMenu({ onSearch, onAsk }: Options): (row: ChannelTag) => MenuEntries {
  const { t } = useTranslation('channel');
  const client = useQueryClient();
  return (row) => {
    const { tag } = row;
    const turn = (status: 'enable' | 'disable') => () =>
      void run(
        client,
        call(channelTagApi.setStatus, { params: { tag, status } }),
        t(status === 'enable' ? 'kin.enabled_done' : 'kin.disabled_done', { tag }),
      );
    /** Opens a confirmation for the members, which are fetched first. */
    const ask = (about: 'delete' | 'test', wanted: (channel: Channel) => boolean) => async () => {
      const channels = (await call(channelTagApi.members, { params: { tag } })).filter(wanted);
      if (channels.length === 0) toast.info(t('delete.none'));
      else onAsk({ about, channels });
    };
    return [
      { label: t('kin.edit'), icon: Pencil, onSelect: () => onSearch({ kin: tag }) },
      { label: t('kin.show'), icon: List, onSelect: () => onSearch({ view: 'list', tag, page: 1, keyword: '' }) },
      { label: t('test.action'), icon: Zap, saves: true, onSelect: () => void ask('test', () => true)() },
      'line',
      row.enabled < row.channels && {
        label: t('kin.enable'),
        icon: CircleCheck,
        saves: true,
        onSelect: turn('enable'),
      },
      row.enabled > 0 && { label: t('kin.disable'), icon: CircleMinus, saves: true, onSelect: turn('disable') },
      row.disabled + row.test_disabled > 0 && {
        label: t('kin.removeOff'),
        icon: Trash2,
        danger: true,
        onSelect: () => void ask('delete', ({ status }) => status !== channelStatus.enabled)(),
      },
      { label: t('kin.remove'), icon: Trash2, danger: true, onSelect: () => void ask('delete', () => true)() },
    ];
  };
}

async function run(client: QueryClient, work: Promise<ChannelChanged>, message: string): Promise<void> {
  try {
    toastChanged(client, await work, message);
  } catch (error) {
    toast.error(channelTexts()('change.failed'), { detail: error instanceof Error ? error.message : String(error) });
  }
}
