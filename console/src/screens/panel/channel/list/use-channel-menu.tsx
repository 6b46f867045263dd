import { channelStatus, type Channel } from '@relay-hub/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import {
  CircleCheck,
  CircleMinus,
  Copy,
  ExternalLink,
  List,
  Pencil,
  RefreshCw,
  Tag,
  Trash2,
  Wallet,
  Zap,
} from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { channelTypes } from '#api/channel-types.ts';
import { switchChannels, unfreeze, untag, updateBalance } from '#screens/panel/channel/checks/lazy-channel-actions.ts';

interface Handlers {
  onEdit: (channel: Channel) => void;
  onCopy: (channel: Channel) => void;
  onTest: (channel: Channel) => void;
  onDelete: (channel: Channel) => void;
}

export function useChannelMenu({ onEdit, onCopy, onTest, onDelete }: Handlers): (channel: Channel) => MenuEntries {
  const { t } = useTranslation('channel');
  const client = useQueryClient();
  const types = useQuery(channelTypes).data;
  return (channel) => {
    const type = types?.find((each) => each.type === channel.type);
    const enabled = channel.status === channelStatus.enabled;
    const turn = (status: 1 | 2) => () => void switchChannels(client, [channel], status);
    return [
      { label: t('edit'), icon: Pencil, onSelect: () => onEdit(channel) },
      { label: t('duplicate'), icon: Copy, onSelect: () => onCopy(channel) },
      { label: t('test.models'), icon: Zap, onSelect: () => onTest(channel) },
      type?.tells_balance
        ? { label: t('balance.action'), icon: Wallet, saves: true, onSelect: () => void updateBalance(client, channel) }
        : null,
      { label: t('logs'), icon: List, render: <Link to="/panel/log" search={{ channel_id: channel.id }} /> },
      type?.website
        ? {
            label: t('website'),
            icon: ExternalLink,
            render: <a href={type.website} target="_blank" rel="noreferrer" aria-label={t('website')} />,
          }
        : null,
      'line',
      enabled && channel.frozen_until > 0
        ? { label: t('unfreeze.action'), icon: RefreshCw, saves: true, onSelect: () => void unfreeze(client, channel) }
        : null,
      channel.tag === ''
        ? null
        : { label: t('untag'), icon: Tag, saves: true, onSelect: () => void untag(client, channel) },
      enabled
        ? { label: t('disable.action'), icon: CircleMinus, saves: true, onSelect: turn(channelStatus.disabled) }
        : { label: t('enable.action'), icon: CircleCheck, saves: true, onSelect: turn(channelStatus.enabled) },
      { label: t('delete.action'), icon: Trash2, danger: true, onSelect: () => onDelete(channel) },
    ];
  };
}
