import type { Channel } from '@relay-hub/contract';
import { useQueryClient } from '@tanstack/react-query';
import { Waypoints } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { formatDateTime } from '#ui/format/time.ts';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { useNow } from '#ui/format/use-now.ts';
import { askForResponses } from '#screens/panel/channel/checks/lazy-channel-actions.ts';

const useLacksResponses = ({ without_responses_until: until }: Channel): boolean => useNow(60) < until;

/** Mark next to a channel's name: its upstream has no Responses API. */
export function WithoutResponsesMark({ channel }: { channel: Channel }) {
  const { t } = useTranslation('channel');
  if (!useLacksResponses(channel)) return null;
  return (
    <Tooltip text={t('withoutResponses.title')}>
      <span className="inline-flex flex-none text-text2">
        <Icon of={Waypoints} size={14} />
        <span className="sr-only">{t('withoutResponses.title')}</span>
      </span>
    </Tooltip>
  );
}

/** The meaning of that, in the channel's drawer, and the end of it. */
export function WithoutResponsesNote({ channel }: { channel: Channel }) {
  const { t } = useTranslation('channel');
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  if (!useLacksResponses(channel)) return null;
  const ask = async () => {
    setBusy(true);
    await askForResponses(client, channel);
    setBusy(false);
  };
  return (
    <div className="mb-4">
      <Note tone="info">
        <p className="font-medium">{t('withoutResponses.title')}</p>
        <p className="mt-0.5">
          {t('withoutResponses.text', { time: formatDateTime(channel.without_responses_until) })}
        </p>
        <div className="mt-2">
          <Button saves busy={busy} onClick={() => void ask()}>
            {t('withoutResponses.action')}
          </Button>
        </div>
      </Note>
    </div>
  );
}
