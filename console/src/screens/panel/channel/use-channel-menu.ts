import { channelStatus, type Channel } from '@relay-hub/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CircleCheck, CircleMinus, Copy, ExternalLink, FlaskConical, Pencil, Trash2 } from 'lucide-react';
import { createElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { MenuEntries } from '#shared/menu-entry.ts';
import { channelTypes } from './channel-api.ts';
import { switchChannels } from './channel-change.ts';

interface Handlers {
  onEdit: (channel: Channel) => void;
  onCopy: (channel: Channel) => void;
  onTest: (channel: Channel) => void;
  onDelete: (channel: Channel) => void;
}

/** What can be done to one channel. */
export function useChannelMenu({ onEdit, onCopy, onTest, onDelete }: Handlers): (channel: Channel) => MenuEntries {
  const { t } = useTranslation('channel');
  const client = useQueryClient();
  const types = useQuery(channelTypes).data;
  return (channel) => {
    const website = types?.find(({ type }) => type === channel.type)?.website;
    const enabled = channel.status === channelStatus.enabled;
    return [
      { label: t('edit'), icon: Pencil, onSelect: () => onEdit(channel) },
      { label: t('duplicate'), icon: Copy, onSelect: () => onCopy(channel) },
      { label: t('test.models'), icon: FlaskConical, onSelect: () => onTest(channel) },
      website
        ? {
            label: t('website'),
            icon: ExternalLink,
            render: createElement('a', { href: website, target: '_blank', rel: 'noreferrer' }),
          }
        : null,
      'line',
      enabled
        ? {
            label: t('disable.action'),
            icon: CircleMinus,
            onSelect: () => void switchChannels(client, [channel], channelStatus.disabled),
          }
        : {
            label: t('enable.action'),
            icon: CircleCheck,
            onSelect: () => void switchChannels(client, [channel], channelStatus.enabled),
          },
      { label: t('delete.action'), icon: Trash2, danger: true, onSelect: () => onDelete(channel) },
    ];
  };
}
