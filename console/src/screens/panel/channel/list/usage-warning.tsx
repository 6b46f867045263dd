import { type Channel, channelApi } from '@relay-hub/contract';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { formatDateTime } from '#ui/format/time.ts';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { useFindingText } from '#domain/refusal/use-finding-text.ts';
import { i18n } from '#i18n/t.ts';
import { call } from '#api/call.ts';
import { toast } from '#ui/feedback/toast.ts';
import { patchChannel, refreshChannels } from '#screens/panel/channel/channel-cache.ts';

/** Mark next to a channel's name: it reported implausible usage. */
export function UsageWarningMark({ channel }: { channel: Channel }) {
  const { t } = useTranslation('usageCheck');
  const findingText = useFindingText();
  const { usage_warning: warning } = channel;
  if (!warning) return null;
  return (
    <Tooltip text={`${t('mark_implausible')}: ${findingText(warning)}`}>
      <span className="inline-flex flex-none text-warn">
        <Icon of={TriangleAlert} size={14} />
        <span className="sr-only">{t('mark_implausible')}</span>
      </span>
    </Tooltip>
  );
}

/** The warning in the channel's drawer, with the call it concerns, until dismissed. */
export function UsageWarningNote({ channel }: { channel: Channel }) {
  const { t } = useTranslation('usageCheck');
  const findingText = useFindingText();
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const { usage_warning: warning } = channel;
  if (!warning) return null;
  const clear = async () => {
    setBusy(true);
    await clearUsageWarning(client, channel);
    setBusy(false);
  };
  return (
    <div data-aside className="pt-5">
      <Note tone="warn">
        <p className="font-medium">{t('atChannel')}</p>
        <p className="mt-0.5">{findingText(warning)}</p>
        <p className="mt-0.5">{t('atChannelText')}</p>
        <p className="mt-0.5 text-12">{t('when', { time: formatDateTime(warning.time), model: warning.model })}</p>
        <div className="mt-2 flex flex-wrap gap-2">
          <Button saves busy={busy} onClick={() => void clear()}>
            {t('clear')}
          </Button>
          <Button variant="ghost" render={<Link to="/panel/log" search={{ request_id: warning.request_id }} />}>
            {t('openLog')}
          </Button>
        </div>
      </Note>
    </div>
  );
}

/** Dismisses the warning about implausible usage reported by a channel. */
async function clearUsageWarning(client: QueryClient, { id }: Channel): Promise<void> {
  const t = i18n.translator('usageCheck');
  try {
    patchChannel(client, id, await call(channelApi.clearUsageWarning, { params: { id } }));
    toast.success(t('cleared'));
  } catch (error) {
    toast.error(t('clearFailed'), { detail: error instanceof Error ? error.message : String(error) });
  }
  void refreshChannels(client);
}
