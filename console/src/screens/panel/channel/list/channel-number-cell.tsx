import type { Channel } from '@relay-hub/contract';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { saveNumber } from '#screens/panel/channel/checks/lazy-channel-actions.ts';

// The number shows at once; its editor loads after the list.
const NumberCell = lazy(async () => ({ default: (await import('./number-cell.tsx')).NumberCell }));

const lowest = { priority: 0, weight: 1 };

interface Props {
  channel: Channel;
  field: keyof typeof lowest;
}

/** A channel's number, editable in its row. A refused edit restores the old value. */
export function ChannelNumberCell({ channel, field }: Props) {
  const { t } = useTranslation('channel');
  const client = useQueryClient();
  return (
    <Suspense fallback={channel[field]}>
      <NumberCell
        label={t('number.of', { field: t(field), name: channel.name })}
        field={t(field)}
        value={channel[field]}
        lowest={lowest[field]}
        onSave={(value) => void saveNumber(client, channel, field, value)}
      />
    </Suspense>
  );
}
